import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A delay")
struct DelayTests {
  @Test("of nothing, or less, is a posted task", arguments: [0, -1, Int64.min])
  func nothing(seconds: Int64) throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "before") {}

    dispatcher.foreground.after(.seconds(seconds), label: "now") {}
    dispatcher.foreground.async(label: "after") {}

    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.runUntilIdle()
    #expect(dispatcher.ran == ["before", "now", "after"])
    try dispatcher.finish()
  }

  @Test("of nothing does not run inside the call")
  func nothingIsLater() throws {
    let dispatcher = RecordingDispatcher()

    dispatcher.foreground.after(.zero, label: "now") {}

    #expect(!dispatcher.hasRun("now"))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of less than a nanosecond is never early")
  func attoseconds() throws {
    let dispatcher = RecordingDispatcher()
    let delay = Duration(secondsComponent: 0, attosecondsComponent: 1)
    dispatcher.foreground.after(delay, label: "timer") {}

    try dispatcher.runUntilIdle()
    #expect(!dispatcher.hasRun("timer"))

    try dispatcher.advanceTime(by: .nanoseconds(1))
    #expect(dispatcher.hasRun("timer"))
    try dispatcher.finish()
  }

  @Test("beyond 292 years means never, and does not trap", arguments: [9_223_372_037, Int64.max])
  func huge(seconds: Int64) throws {
    let dispatcher = RecordingDispatcher()
    try dispatcher.advanceTime(by: .seconds(1))
    let timer = dispatcher.foreground.after(.seconds(seconds), label: "never") {}

    try dispatcher.advanceTime(by: .seconds(86_400 * 365 * 100))

    #expect(!dispatcher.hasRun("never"))
    #expect(timer.cancel() == .beforeStart)
    try dispatcher.finish()
  }

  @Test("that means never is no deadline")
  func neverIsNoDeadline() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.after(.seconds(Int64.max), label: "never") {}

    #expect(dispatcher.nextDeadline == nil)
    _ = stepError { try dispatcher.advanceToNextDeadline() }
    try dispatcher.advanceTime(by: .seconds(Int64.max))

    #expect(!dispatcher.hasRun("never"))
    dispatcher.allowLeftovers(labeled: "never")
    try dispatcher.finish()
  }

  @Test("is counted from now, not from the start")
  func fromNow() throws {
    let dispatcher = RecordingDispatcher()
    try dispatcher.advanceTime(by: .seconds(5))

    dispatcher.foreground.after(.seconds(2), label: "timer") {}

    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(7))
    try dispatcher.advanceTime(by: .seconds(2))
    #expect(dispatcher.hasRun("timer"))
    try dispatcher.finish()
  }

  @Test("with a tolerance is never early, and run when the tolerance is over")
  func tolerance() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.after(.seconds(1), tolerance: .milliseconds(500), label: "lax") {}
    dispatcher.foreground.after(.seconds(1), tolerance: .seconds(-1), label: "strict") {}

    try dispatcher.advanceTime(by: .milliseconds(999))
    #expect(dispatcher.ran.isEmpty)

    try dispatcher.advanceTime(by: .milliseconds(1))
    #expect(dispatcher.hasRun("strict"))

    try dispatcher.advanceTime(by: .milliseconds(500))
    #expect(dispatcher.hasRun("lax"))
    try dispatcher.finish()
  }

  @Test("keeps its place in its queue once it is over: a timer stands behind what waits there")
  func comesDueIntoItsQueue() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    dispatcher.background.after(.seconds(1), label: "timer") {}
    dispatcher.background.async(label: "posted") {}

    try dispatcher.skipTime(by: .seconds(1))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["posted", "timer"])
    try dispatcher.finish()
  }

  @Test("of a timer on a suspended view passes, and the view holds the task")
  func suspended() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.after(.seconds(1), label: "timer") {}
    disk.suspend()

    try dispatcher.advanceTime(by: .seconds(2))
    #expect(dispatcher.pendingTasks.map(\.obstacle) == [.suspended(queue: "disk")])

    disk.resume()
    try dispatcher.runUntilIdle()
    #expect(dispatcher.hasRun("timer"))
    try dispatcher.finish()
  }

  @Test("of a timer is cut short by nothing but a cancel, before it and after it")
  func cancel() throws {
    let dispatcher = RecordingDispatcher()
    let early = dispatcher.foreground.after(.seconds(1), label: "early") {}
    let due = dispatcher.foreground.after(.seconds(2), label: "due") {}
    let ran = dispatcher.foreground.after(.seconds(3), label: "ran") {}

    #expect(early.cancel() == .beforeStart)
    try dispatcher.skipTime(by: .seconds(2))
    #expect(due.cancel() == .beforeStart)
    try dispatcher.advanceTime(by: .seconds(1))
    #expect(ran.cancel() == .tooLate)

    #expect(early.cancel() == .tooLate)
    #expect(dispatcher.ran == ["ran"])
    #expect(dispatcher.ledger.cancelled == 2)
    try dispatcher.finish()
  }
}
