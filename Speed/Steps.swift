internal import TaskDispatch
internal import TaskDispatchTesting

/// What a step of the fake costs: the submission and the step of an empty body, together.
func measureSteps() throws {
  let tasks = 200_000
  for recordsHistory in [false, true] {
    let name = recordsHistory ? "with history" : "without history"
    try measure("manual steps \(name), submit and step", items: tasks) {
      let dispatcher = RecordingDispatcher(.init(recordsHistory: recordsHistory))
      let queue = dispatcher.foreground
      for _ in 0..<tasks {
        queue {}
        try dispatcher.runNextForegroundTask()
      }
    }
    try measure(
      "manual foreground steps \(name), step only", items: tasks,
      prepare: {
        let dispatcher = RecordingDispatcher(.init(recordsHistory: recordsHistory))
        for _ in 0..<tasks { dispatcher.foreground {} }
        return dispatcher
      }
    ) { (dispatcher: RecordingDispatcher) in
      for _ in 0..<tasks { try dispatcher.runNextForegroundTask() }
    }
    try measure(
      "manual background steps \(name), step only", items: tasks,
      prepare: {
        let dispatcher = RecordingDispatcher(.init(recordsHistory: recordsHistory))
        for _ in 0..<tasks { dispatcher.background {} }
        return dispatcher
      }
    ) { (dispatcher: RecordingDispatcher) in
      for _ in 0..<tasks { try dispatcher.runNextBackgroundTask() }
    }
    try measure(
      "manual steps \(name), in the fake's scope, step only", items: tasks,
      prepare: {
        let dispatcher = RecordingDispatcher(.init(recordsHistory: recordsHistory))
        for _ in 0..<tasks { dispatcher.foreground {} }
        return dispatcher
      }
    ) { (dispatcher: RecordingDispatcher) in
      try withDispatcher(dispatcher) {
        for _ in 0..<tasks { try dispatcher.runNextForegroundTask() }
      }
    }
    try measure(
      "runUntilIdle \(name), step only", items: tasks,
      prepare: {
        let dispatcher = RecordingDispatcher(
          .init(stepLimit: .max, recordsHistory: recordsHistory))
        for _ in 0..<tasks { dispatcher.foreground {} }
        return dispatcher
      }
    ) { (dispatcher: RecordingDispatcher) in
      _ = try dispatcher.runUntilIdle()
    }
  }
}

/// Batches of a thousand manual steps of the foreground without history, and nothing else.
func profileSteps(batches: Int) throws {
  let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
  let queue = dispatcher.foreground
  for _ in 0..<batches {
    for _ in 0..<1_000 { queue {} }
    for _ in 0..<1_000 { try dispatcher.runNextForegroundTask() }
  }
}
