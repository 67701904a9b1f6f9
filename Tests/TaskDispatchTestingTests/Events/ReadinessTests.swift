import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A descriptor that becomes ready")
struct ReadinessTests {
  private let dispatcher = RecordingDispatcher()

  @Test("calls its handler on the foreground, once for each call that says so")
  func handler() throws {
    let log = Log()
    try dispatcher.onReady(7, for: .readable) { log.note("\($0) \(dispatcher.isForeground)") }

    try dispatcher.makeReady(7, .readable)
    #expect(log.all.isEmpty)
    #expect(try dispatcher.runUntilIdle() == 1)
    try dispatcher.makeReady(7, .readable)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["readable true", "readable true"])
    try dispatcher.finish()
  }

  @Test("is a level: what comes before the handler runs is one call with all of it")
  func level() throws {
    let log = Log()
    try dispatcher.onReady(7, for: [.readable, .writable]) { log.note("\($0)") }

    try dispatcher.makeReady(7, .readable)
    try dispatcher.makeReady(7, .readable)
    try dispatcher.makeReady(7, .writable)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["readable, writable"])
    try dispatcher.finish()
  }

  @Test("tells a handler only what it asked for")
  func interest() throws {
    let log = Log()
    try dispatcher.onReady(7, for: [.readable, .disconnected]) { log.note("\($0)") }

    try dispatcher.makeReady(7, [.readable, .writable])
    try dispatcher.runUntilIdle()

    #expect(log.all == ["readable"])
    guard
      case .noRegistration(let event, let registered) = stepError({
        try dispatcher.makeReady(7, .writable)
      })
    else { return }
    #expect(event == "descriptor 7 (writable)")
    #expect(registered.count == 1)
    try dispatcher.finish()
  }

  @Test("reaches no handler of another descriptor")
  func otherDescriptor() throws {
    try dispatcher.onReady(7, for: .readable) { _ in }

    guard case .noRegistration = stepError({ try dispatcher.makeReady(8, .readable) }) else {
      return
    }
    #expect(dispatcher.pendingTasks.isEmpty)
    try dispatcher.finish()
  }

  @Test("is watched by one registration at a time, and can be watched again")
  func watchedOnce() throws {
    let first = try dispatcher.onReady(7, for: .readable) { _ in }
    #expect(throws: EventRefusal.alreadyWatched(7)) {
      try dispatcher.onReady(7, for: .writable) { _ in }
    }

    first.cancel()

    try dispatcher.onReady(7, for: .writable) { _ in }
    try dispatcher.finish()
  }

  @Test(
    "that makes no sense is refused with the reason",
    arguments: [
      (CInt(-1), Readiness.readable, EventRefusal.notOpen(-1)),
      (7, Readiness(), .nothingToWatchFor(7)),
    ])
  func refusals(descriptor: CInt, interest: Readiness, refusal: EventRefusal) throws {
    #expect(throws: refusal) { try dispatcher.onReady(descriptor, for: interest) { _ in } }

    #expect(dispatcher.awaitedEvents.isEmpty)
    try dispatcher.finish()
  }

  @Test("does not call a handler that was removed inside its own call")
  func removedInside() throws {
    let log = Log()
    let registration = Slot<Registration>()
    registration.value = try dispatcher.onReady(7, for: .readable) { _ in
      log.note("called")
      registration.value?.cancel()
      _ = try? dispatcher.makeReady(7, .readable)
    }

    try dispatcher.makeReady(7, .readable)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["called"])
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("is served in the order of arrival, and keeps its place among the events")
  func order() throws {
    let log = Log()
    try dispatcher.onReady(1, for: .readable) { _ in log.note("1") }
    try dispatcher.onReady(2, for: .readable) { _ in log.note("2") }
    try dispatcher.onSignal(.hangup) { _ in log.note("signal") }

    try dispatcher.makeReady(2, .readable)
    try dispatcher.raise(.hangup)
    try dispatcher.makeReady(1, .readable)
    try dispatcher.makeReady(2, .readable)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["2", "signal", "1"])
    try dispatcher.finish()
  }
}
