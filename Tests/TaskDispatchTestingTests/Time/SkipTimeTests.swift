import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Skipping time")
struct SkipTimeTests {
  @Test("runs nothing: what came due waits to be stepped")
  func runsNothing() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "posted") {}
    dispatcher.foreground.after(.seconds(1), label: "timer") {}

    try dispatcher.skipTime(by: .seconds(5))

    #expect(dispatcher.ran.isEmpty)
    #expect(dispatcher.now.sinceStart == .seconds(5))
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.runUntilIdle()
    #expect(Set(dispatcher.ran) == ["posted", "timer"])
    try dispatcher.finish()
  }

  @Test("makes tasks late: they run now, and by their deadlines")
  func late() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground.after(.seconds(2)) { log.note("2 at \(dispatcher.now)") }
    dispatcher.foreground.after(.seconds(1)) { log.note("1 at \(dispatcher.now)") }

    try dispatcher.skipTime(by: .seconds(5))
    try dispatcher.runUntilIdle()

    #expect(log.all == ["1 at 5 s", "2 at 5 s"])
    try dispatcher.finish()
  }

  @Test("inside a body makes it take that long; what comes due in that time runs after it")
  func insideABody() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground.after(.seconds(1)) { log.note("timer at \(dispatcher.now)") }
    dispatcher.foreground.async(label: "slow") {
      log.note("begins at \(dispatcher.now)")
      try? dispatcher.skipTime(by: .seconds(3))
      log.note("ends at \(dispatcher.now)")
    }

    try dispatcher.runUntilIdle()

    #expect(
      log.all == ["begins at 0 s", "ends at 3 s", "timer at 3 s"])
    let times = dispatcher.history.filter { $0.task.label == "slow" }.map(\.time.sinceStart)
    #expect(times == [.zero, .zero, .seconds(3)])
    try dispatcher.finish()
  }

  @Test("inside a body of an advance does not set time back at its end")
  func insideAnAdvance() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.after(.seconds(1)) { try? dispatcher.skipTime(by: .seconds(10)) }
    dispatcher.foreground.after(.seconds(2), label: "late") {}

    try dispatcher.advanceTime(by: .seconds(3))

    #expect(dispatcher.hasRun("late"))
    #expect(dispatcher.now.sinceStart == .seconds(11))
    try dispatcher.finish()
  }

  @Test("by nothing is allowed; back is not, and changes nothing")
  func bounds() throws {
    let dispatcher = RecordingDispatcher()

    try dispatcher.skipTime(by: .zero)
    guard case .timeBackwards = stepError({ try dispatcher.skipTime(by: .seconds(-1)) }) else {
      return
    }

    #expect(dispatcher.now == .start)
    try dispatcher.finish()
  }

  @Test("stops at the end of time")
  func saturates() throws {
    let dispatcher = RecordingDispatcher()

    try dispatcher.skipTime(by: .seconds(Int64.max))
    try dispatcher.skipTime(by: .seconds(1))

    #expect(dispatcher.now == .distantFuture)
    try dispatcher.finish()
  }
}
