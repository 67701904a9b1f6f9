import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A step that finds nothing to run")
struct StepErrorTests {
  @Test("says what is queued elsewhere, in the order of submission, and the next deadline")
  func nothingQueued() throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.foreground.after(.seconds(3), label: "timer") {}
    dispatcher.background.async(label: "work") {}

    let error = stepError { try dispatcher.runNextForegroundTask() }

    guard case .nothingQueued(let place, let elsewhere, let deadline) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(place == "the foreground")
    #expect(elsewhere.labels == ["timer", "work"])
    #expect(elsewhere.map(\.due) == [.start.advanced(by: .seconds(3)), nil])
    #expect(deadline == .start.advanced(by: .seconds(3)))
    timer.cancel()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("on the background names the background, and no deadline where there is none")
  func nothingInBackground() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "fore") {}

    let error = stepError { try dispatcher.runNextBackgroundTask() }

    guard case .nothingQueued("the background", let elsewhere, nil) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(elsewhere.labels == ["fore"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("on a view names the view, also when other queues have work")
  func nothingOnView() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "other") {}

    let error = stepError { try dispatcher.runNextTask(on: disk) }

    guard case .nothingQueued("disk", let elsewhere, nil) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(elsewhere.labels == ["other"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("says why the tasks that are there cannot run")
  func nothingRunnable() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "read") {}

    let error = stepError { try dispatcher.runNextTask(on: disk) }
    let other = stepError { try dispatcher.runNextBackgroundTask() }

    guard case .nothingRunnable("disk", let there, _) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(there.map(\.obstacle) == [.suspended(queue: "disk")])
    guard case .nothingRunnable("the background", _, _) = other else {
      Issue.record("\(other as Any)")
      return
    }
    disk.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("by an unknown label names near misses, the nearest first, and what waits")
  func unknownLabel() throws {
    let dispatcher = RecordingDispatcher()
    for label in ["hash file", "hash", "upload", "hush"] {
      dispatcher.background.async(label: label) {}
    }

    let error = stepError { try dispatcher.runTask(labeled: "hasj") }

    guard case .unknownLabel("hasj", let nearMisses, let pending, nil) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(nearMisses == ["hash", "hush"])
    #expect(pending.labels == ["hash file", "hash", "upload", "hush"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("about a label whose task has run says which that was")
  func labelOfWhatHasRun() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "hash", fileID: "App/Hash.swift", line: 12) {}
    try dispatcher.runTask(labeled: "hash")

    let error = stepError { try dispatcher.runTask(labeled: "hash") }

    guard case .unknownLabel("hash", [], let pending, let hasRun) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(pending.isEmpty)
    #expect(hasRun?.id == TaskID(1))
    #expect(
      "\(error!)"
        == "no task labelled \"hash\" is waiting; #1 from App/Hash.swift:12 had that label, and has "
        + "started already, and nothing waits in this dispatcher")
    try dispatcher.finish()
  }

  @Test("by a part of a label, or in the wrong case, names the label that was meant")
  func nearMisses() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "compress archive") {}

    for wrong in ["compress", "Compress Archive", "please compress archive now"] {
      guard
        case .unknownLabel(_, let nearMisses, _, _) = stepError({
          try dispatcher.runTask(labeled: wrong)
        })
      else { return }
      #expect(nearMisses == ["compress archive"], "\(wrong)")
    }
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("by a label that nothing resembles names no near miss")
  func noNearMiss() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "upload") {}

    guard
      case .unknownLabel(_, let nearMisses, _, _) = stepError({
        try dispatcher.runTask(labeled: "hash")
      })
    else { return }
    #expect(nearMisses == [])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("by a label that two tasks carry runs neither, and lists both")
  func ambiguousLabel() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "twin") {}
    dispatcher.foreground.async(label: "twin") {}

    guard
      case .ambiguousLabel("twin", let tasks) = stepError({
        try dispatcher.runTask(labeled: "twin")
      })
    else { return }
    #expect(tasks.map(\.task.lane) == [.background, .foreground])
    #expect(dispatcher.ran.isEmpty)

    try dispatcher.runTask(tasks[1].task.id)
    #expect(try dispatcher.runTask(labeled: "twin").lane == .background)
    try dispatcher.finish()
  }

  @Test("by an id that has run, or never was, says what waits")
  func unknownTask() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}
    dispatcher.background.async(label: "waits") {}
    let ran = try dispatcher.runNextForegroundTask().id

    for id in [ran, TaskID(99)] {
      guard
        case .unknownTask(id, let pending) = stepError({
          try dispatcher.runTask(id)
        })
      else { return }
      #expect(pending.labels == ["waits"])
    }
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("leaves every task where it was")
  func nothingIsLost() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "a") {}
    dispatcher.foreground.async(label: "b") {}
    dispatcher.background.after(.seconds(1), label: "c") {}
    let before = dispatcher.pendingTasks

    _ = stepError { try dispatcher.runNextBackgroundTask() }
    _ = stepError { try dispatcher.runTask(labeled: "b") }
    _ = stepError { try dispatcher.runTask(labeled: "c") }
    _ = stepError { try dispatcher.runTask(labeled: "d") }

    #expect(dispatcher.pendingTasks == before)
    try dispatcher.advanceToNextDeadline()
    #expect(dispatcher.ran == ["a", "b", "c"])
    try dispatcher.finish()
  }
}
