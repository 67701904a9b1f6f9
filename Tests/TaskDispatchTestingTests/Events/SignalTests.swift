import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A signal")
struct SignalTests {
  private let dispatcher = RecordingDispatcher()

  @Test("calls its handler on the foreground, in a step")
  func handler() throws {
    let log = Log()
    try dispatcher.onSignal(.terminate, label: "stop") { deliveries in
      log.note("\(deliveries) \(dispatcher.isForeground) \(dispatcher.currentTask?.label ?? "")")
    }

    try dispatcher.raise(.terminate)
    #expect(log.all.isEmpty)
    #expect(dispatcher.runnableTasks.labels == ["stop"])
    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["1 true stop"])
    try dispatcher.finish()
  }

  @Test("that comes in a burst is one call with a count; the next burst is another")
  func bursts() throws {
    let log = Log()
    try dispatcher.onSignal(.hangup) { log.note("\($0)") }

    for _ in 0..<3 { try dispatcher.raise(.hangup) }
    #expect(try dispatcher.runUntilIdle() == 1)
    try dispatcher.raise(.hangup)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["3", "1"])
    #expect(dispatcher.ledger.completed == 2)
    try dispatcher.finish()
  }

  @Test("that comes while its handler runs is a call of its own")
  func whileItRuns() throws {
    let log = Log()
    try dispatcher.onSignal(.hangup) { deliveries in
      log.note("\(deliveries)")
      if log.all.count == 1 { try? dispatcher.raise(.hangup) }
    }

    try dispatcher.raise(.hangup)
    #expect(try dispatcher.runUntilIdle() == 2)

    #expect(log.all == ["1", "1"])
    try dispatcher.finish()
  }

  @Test("reaches each of its handlers, and no handler of another")
  func severalHandlers() throws {
    let log = Log()
    try dispatcher.onSignal(.user1) { _ in log.note("a") }
    try dispatcher.onSignal(.user2) { _ in log.note("other") }
    try dispatcher.onSignal(.user1) { _ in log.note("b") }

    try dispatcher.raise(.user1)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["a", "b"])
    try dispatcher.finish()
  }

  @Test("that no handler is registered for is an error, which says what is registered")
  func unhandled() throws {
    guard
      case .noRegistration("SIGTERM", registered: let none) = stepError({
        try dispatcher.raise(.terminate)
      })
    else { return }
    #expect(none.isEmpty)

    try dispatcher.onSignal(.hangup) { _ in }
    guard
      case .noRegistration(_, let registered) = stepError({ try dispatcher.raise(.terminate) })
    else { return }
    #expect(registered.map { "\($0)" }.joined().contains("SIGHUP"))
    try dispatcher.finish()
  }

  @Test("does not reach a handler that was removed, also if it had come already")
  func removed() throws {
    weak var handler: Token?
    let registration: Registration
    do {
      let token = Token()
      handler = token
      registration = try dispatcher.onSignal(.terminate) { _ in token.touch() }
    }
    try dispatcher.raise(.terminate)
    #expect(!registration.isCancelled)

    registration.cancel()
    registration.cancel()

    #expect(registration.isCancelled)
    #expect(dispatcher.pendingTasks.isEmpty)
    #expect(dispatcher.ledger.balances)
    #expect(dispatcher.ledger.cancelled == 1)
    #expect(handler == nil)
    guard case .noRegistration = stepError({ try dispatcher.raise(.terminate) }) else { return }
    try dispatcher.finish()
  }

  @Test("goes on reaching a handler whose registration was let go")
  func letGo() throws {
    let log = Log()
    do { _ = try dispatcher.onSignal(.terminate) { _ in log.note("called") } }

    try dispatcher.raise(.terminate)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["called"])
    try dispatcher.finish()
  }

  @Test("has its registration, delivery and removal in the history")
  func history() throws {
    let registration = try dispatcher.onSignal(.terminate, label: "stop") { _ in }
    try dispatcher.raise(.terminate)
    try dispatcher.runUntilIdle()
    registration.cancel()

    #expect(
      dispatcher.history.map(\.kind)
        == [.registered, .enqueued, .started, .finished(.completed), .unregistered])
    #expect(dispatcher.history.allSatisfy { $0.task.label == "stop" })
    #expect(dispatcher.history.allSatisfy { $0.task.queue == "foreground" })
    try dispatcher.finish()
  }

  @Test("is listed among the awaited events while a handler is registered")
  func awaited() throws {
    let registration = try dispatcher.onSignal(.terminate) { _ in }
    #expect(dispatcher.awaitedEvents.count == 1)
    #expect(dispatcher.awaitedEvents.map { "\($0)" }.joined().contains("SIGTERM"))

    registration.cancel()

    #expect(dispatcher.awaitedEvents.isEmpty)
    try dispatcher.finish()
  }

  @Test("is refused a handler once shutdown has begun")
  func shutdown() throws {
    dispatcher.beginShutdown()

    #expect(throws: EventRefusal.shutDown) { try dispatcher.onSignal(.terminate) { _ in } }
    try dispatcher.finish()
  }

  @Test("that comes from another thread is served here")
  func fromAnotherThread() throws {
    let log = Log()
    try dispatcher.onSignal(.terminate) { _ in log.note("served") }

    onAnotherThread { try? dispatcher.raise(.terminate) }
    try dispatcher.runUntilIdle()

    #expect(log.all == ["served"])
    try dispatcher.finish()
  }
}
