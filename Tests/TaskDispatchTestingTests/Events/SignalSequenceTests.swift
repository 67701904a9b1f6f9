import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The sequence of a signal's deliveries")
struct SignalSequenceTests {
  @Test("adds up what comes while no Task awaits it, and ends when the test is finished")
  func addsUp() async throws {
    let dispatcher = RecordingDispatcher()
    let deliveries = try dispatcher.signals(.hangup)
    for _ in 0..<3 { try dispatcher.raise(.hangup) }
    try dispatcher.runUntilIdle()
    try dispatcher.raise(.hangup)
    try dispatcher.runUntilIdle()

    var iterator = deliveries.makeAsyncIterator()
    #expect(await iterator.next() == 4)
    try dispatcher.raise(.hangup)
    try dispatcher.runUntilIdle()
    #expect(await iterator.next() == 1)

    try dispatcher.finish()
    #expect(await iterator.next() == nil)
  }

  @Test("stands among the awaited events, with the line that asked for it")
  func awaited() throws {
    let dispatcher = RecordingDispatcher()
    let deliveries = try dispatcher.signals(.hangup)
    #expect(dispatcher.awaitedEvents == ["SIGHUP"])
    #expect(
      dispatcher.history.first?.task.site.description.contains("SignalSequenceTests.swift") == true)
    withExtendedLifetime(deliveries) {}
    try dispatcher.finish()
  }

  @Test("is gone from them when it is let go of")
  func letGo() throws {
    let dispatcher = RecordingDispatcher()
    do { _ = try dispatcher.signals(.hangup) }
    #expect(dispatcher.awaitedEvents.isEmpty)
    try dispatcher.finish()
  }
}
