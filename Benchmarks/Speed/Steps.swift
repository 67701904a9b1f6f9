internal import TaskDispatch
internal import TaskDispatchTesting

private let batches = 200
private let batch = 1_000

/// What a step of the fake costs, for empty bodies that were submitted before the clock started; and
/// what a submission and its step cost together.
func measureSteps() throws {
  for recordsHistory in [false, true] {
    let name = recordsHistory ? "with history" : "without history"
    try measureSteps(
      "foreground steps \(name)", recordsHistory, { $0.foreground {} },
      { dispatcher in
        for _ in 0..<batch { try dispatcher.runNextForegroundTask() }
      })
    try measureSteps(
      "background steps \(name)", recordsHistory, { $0.background {} },
      { dispatcher in
        for _ in 0..<batch { try dispatcher.runNextBackgroundTask() }
      })
    try measureSteps(
      "runUntilIdle \(name)", recordsHistory, { $0.background {} },
      { dispatcher in
        try dispatcher.runUntilIdle()
      })
    try measure("submission and foreground step \(name)", items: batches * batch) {
      let dispatcher = makeDispatcher(recordsHistory)
      let queue = dispatcher.foreground
      for _ in 0..<batches * batch {
        queue {}
        try dispatcher.runNextForegroundTask()
      }
    }
  }
}

/// Each batch on a dispatcher of its own, as a test has one.
private func measureSteps(
  _ name: String, _ recordsHistory: Bool, _ submit: (RecordingDispatcher) -> Void,
  _ steps: (RecordingDispatcher) throws -> Void
) throws {
  var dispatcher = makeDispatcher(recordsHistory)
  try measure(
    name, items: batch, repeats: batches,
    prepare: {
      dispatcher = makeDispatcher(recordsHistory)
      for _ in 0..<batch { submit(dispatcher) }
    },
    body: { try steps(dispatcher) })
}

private func makeDispatcher(_ recordsHistory: Bool) -> RecordingDispatcher {
  RecordingDispatcher(.init(recordsHistory: recordsHistory))
}

/// Batches of steps without history, and nothing else.
func profileSteps(batches: Int, onBackground: Bool) throws {
  let dispatcher = makeDispatcher(false)
  let queue = onBackground ? dispatcher.background : dispatcher.foreground
  for _ in 0..<batches {
    for _ in 0..<batch { queue {} }
    for _ in 0..<batch {
      if onBackground {
        try dispatcher.runNextBackgroundTask()
      } else {
        try dispatcher.runNextForegroundTask()
      }
    }
  }
}
