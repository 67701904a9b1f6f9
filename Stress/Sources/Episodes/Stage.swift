import Oracle
import TaskDispatch

/// Where one run of an episode takes place: its queues, and the checkers that watch them.
final class Stage: Sendable {
  /// A queue of the dispatcher.
  enum Place: Int, CaseIterable, Sendable { case foreground, background, serial }

  private struct Books {
    var open = 0
    var bodies = 0
  }

  private let dispatcher: any TaskDispatcher
  private let queues: [TaskQueue]
  private let checkers: [QueueChecker]
  private let violations: ViolationLog
  private let takesTime: Bool
  private let books = Locked(Books())

  init(_ dispatcher: any TaskDispatcher, width: Int, takesTime: Bool, violations: ViolationLog) {
    self.dispatcher = dispatcher
    self.takesTime = takesTime
    self.violations = violations
    queues = [
      dispatcher.foreground, dispatcher.background, dispatcher.makeQueue(label: "serial", width: 1),
    ]
    let names = Place.allCases.map { "\($0)" }
    violations.nameQueues(names)
    checkers = zip(names, [1, width, 1]).enumerated().map {
      QueueChecker(index: $0, name: $1.0, width: $1.1, violations: violations)
    }
  }

  /// How many tasks were submitted and have not come to an end.
  var openCount: Int { books.withLock { $0.open } }
  /// How many bodies have ended.
  var bodyCount: Int { books.withLock { $0.bodies } }

  private var now: Int64 { dispatcher.now.nanoseconds }

  // MARK: Submitting

  /// - Parameter nanoseconds: How long the body keeps its thread before it does anything. Not used in a
  ///   fake.
  func post(
    _ place: Place, _ label: String, after nanoseconds: Int64 = 0,
    _ body: @escaping @Sendable () -> Void
  ) {
    let checker = checkers[place.rawValue]
    let ticket = checker.issue(.posted, seed: 0, at: now)
    begins()
    let admission = queues[place.rawValue].async(label: label) { [self] in
      perform(ticket, after: nanoseconds, body)
    }
    settle(ticket, admission)
  }

  /// Submits a body that the foreground runs later, unless it is cancelled.
  func after(
    _ delay: Duration, _ label: String, _ body: @escaping @Sendable () -> Void
  ) -> Alarm {
    let checker = checkers[0]
    let ticket = checker.issue(
      .timer, isCertain: false, delay: Int64(delay / .nanoseconds(1)), seed: 0, at: now)
    begins()
    let timer = queues[0].after(delay, label: label) { [self] in perform(ticket, after: 0, body) }
    if case .refused(let refusal)? = timer.outcomeIfFinished {
      settle(ticket, .refused(refusal))
    } else {
      settle(ticket, .accepted)
    }
    return Alarm(timer: timer, ticket: ticket)
  }

  struct Alarm: Sendable {
    fileprivate let timer: TimerHandle
    fileprivate let ticket: Ticket
  }

  func cancel(_ alarm: Alarm) {
    guard alarm.timer.cancel() == .beforeStart else { return }
    checkers[0].cancelledBeforeStart(alarm.ticket)
    ends(bodies: 0)
  }

  private func settle(_ ticket: Ticket, _ admission: Admission) {
    switch admission {
    case .accepted: checkers[ticket.queue].returned(ticket, at: now)
    case .refused(let refusal):
      checkers[ticket.queue].refused(ticket)
      violations.report(.once, ticket, "was refused: \(refusal)")
      ends(bodies: 0)
    }
  }

  private func perform(_ ticket: Ticket, after nanoseconds: Int64, _ body: () -> Void) {
    let checker = checkers[ticket.queue]
    guard checker.begin(ticket, at: now) else { return }
    if takesTime {
      let end = now + nanoseconds
      while now < end {}
    }
    body()
    checker.finish(ticket)
    ends(bodies: 1)
  }

  // MARK: Its end

  private func begins() { books.withLock { $0.open += 1 } }

  private func ends(bodies: Int) {
    let isLast = books.withLock { books in
      books.open -= 1
      books.bodies += bodies
      return books.open == 0
    }
    // A task that leads to more submits it before it ends. So at zero nothing more can come.
    if isLast { dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(30))) }
  }
}
