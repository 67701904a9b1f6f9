import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

/// The calls that step. A body may make none of them while a step runs.
private let stepping: [(name: String, call: @Sendable (RecordingDispatcher) throws -> Void)] = [
  ("runNextForegroundTask()", { try $0.runNextForegroundTask() }),
  ("runNextBackgroundTask()", { try $0.runNextBackgroundTask() }),
  ("runNextTask(on:)", { try $0.runNextTask(on: $0.background) }),
  ("runTask(labeled:)", { try $0.runTask(labeled: "waits") }),
  ("runTask(_:)", { try $0.runTask(TaskID(2)) }),
  ("runUntilIdle(limit:)", { try $0.runUntilIdle() }),
  ("runForegroundUntilIdle(limit:)", { try $0.runForegroundUntilIdle() }),
  ("runBackgroundUntilIdle(limit:)", { try $0.runBackgroundUntilIdle() }),
  ("run(until:)", { try $0.run(until: { true }) }),
  ("advanceTime(by:)", { try $0.advanceTime(by: .seconds(1)) }),
  ("advanceTime(to:)", { try $0.advanceTime(to: .start) }),
  ("advanceToNextDeadline()", { try $0.advanceToNextDeadline() }),
]

@Suite("A step inside a step")
struct ReentranceTests {
  @Test("throws, and names the call and the task that runs", arguments: stepping.indices)
  func insideABody(index: Int) throws {
    let dispatcher = RecordingDispatcher()
    let caught = Slot<any Error>()
    let timer = dispatcher.foreground.after(.seconds(9)) {}
    dispatcher.background.async(label: "steps") {
      do { try stepping[index].call(dispatcher) } catch { caught.value = error }
    }
    dispatcher.background.async(label: "waits") {}

    try dispatcher.runNextBackgroundTask()

    guard case StepError.reentrantStep(let call, let running)? = caught.value else {
      Issue.record("\(caught.value as Any)")
      return
    }
    #expect(call == stepping[index].name)
    #expect(running?.label == "steps")
    #expect(dispatcher.ran == ["steps"])
    #expect(dispatcher.now == .start)
    timer.cancel()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("throws also when nothing waits for a time")
  func advanceWithoutTimers() throws {
    let dispatcher = RecordingDispatcher()
    let caught = Slot<any Error>()
    dispatcher.foreground {
      do { try dispatcher.advanceToNextDeadline() } catch { caught.value = error }
    }

    try dispatcher.runNextForegroundTask()

    guard case StepError.reentrantStep? = caught.value else {
      Issue.record("\(caught.value as Any)")
      return
    }
    try dispatcher.finish()
  }

  @Test("throws from the hooks around a body and from the hook of an event")
  func insideHooks() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let attempt: @Sendable (String) -> Void = { hook in
      do {
        try dispatcher.runNextForegroundTask()
        log.note("\(hook) stepped")
      } catch StepError.reentrantStep {
        log.note(hook)
      } catch { log.note("\(hook): \(error)") }
    }
    dispatcher.foreground {}
    dispatcher.foreground {}
    dispatcher.onEnter = { _ in attempt("enter") }
    dispatcher.onExit = { _ in attempt("exit") }
    dispatcher.onEvent = { attempt("\($0.kind == .started ? "started" : "finished")") }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["started", "enter", "exit", "finished"])
    dispatcher.onEnter = nil
    dispatcher.onExit = nil
    dispatcher.onEvent = nil
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("throws from the condition of a run")
  func insideCondition() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}

    guard
      case .reentrantStep("runNextForegroundTask()", running: nil) = stepError({
        try dispatcher.run(until: {
          try dispatcher.runNextForegroundTask()
          return true
        })
      })
    else { return }
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("throws on another thread while this one steps")
  func fromAnotherThread() throws {
    let dispatcher = RecordingDispatcher()
    let caught = Slot<any Error>()
    dispatcher.foreground.async(label: "long") {
      onAnotherThread {
        do { try dispatcher.runNextBackgroundTask() } catch { caught.value = error }
      }
    }
    dispatcher.background {}

    try dispatcher.runNextForegroundTask()

    guard case StepError.reentrantStep(_, let running)? = caught.value else {
      Issue.record("\(caught.value as Any)")
      return
    }
    #expect(running?.label == "long")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("throws from an inline body")
  func insideInlineBody() throws {
    let dispatcher = RecordingDispatcher(.init(policy: .inline))
    let caught = Slot<any Error>()

    dispatcher.background.async(label: "outer") {
      do { try dispatcher.runUntilIdle() } catch { caught.value = error }
    }

    guard case StepError.reentrantStep(_, let running)? = caught.value else {
      Issue.record("\(caught.value as Any)")
      return
    }
    #expect(running?.label == "outer")
    try dispatcher.finish()
  }

  @Test("of another dispatcher is a step like any other")
  func ofAnotherDispatcher() throws {
    let outer = RecordingDispatcher()
    let inner = RecordingDispatcher()
    inner.foreground.async(label: "inner") {}
    outer.foreground { _ = try? inner.runNextForegroundTask() }

    try outer.runNextForegroundTask()

    #expect(inner.ran == ["inner"])
    try outer.finish()
    try inner.finish()
  }

  @Test("leaves the dispatcher usable after every failure")
  func usableAfterwards() throws {
    let dispatcher = RecordingDispatcher()

    for step in stepping { try? step.call(dispatcher) }
    dispatcher.foreground.async(label: "still runs") {}

    #expect(try dispatcher.runNextForegroundTask().label == "still runs")
    try dispatcher.finish()
  }
}
