internal import Synchronization

/// Checks that a call that holds tasks back does so: no body starts that had certainly not started when
/// the call returned.
///
/// A thread may have taken a body and not have come to the body's first instruction. But if that thread
/// has been in other user code since the call returned, it had not started the body before: between the
/// call and the body it ran that code.
public final class StartChecker: Sendable {
  private struct Hold {
    var count = 0
    var since: Int64 = .max
  }

  private let violations: ViolationLog
  private let holds: [Locked<Hold>]

  public init(queues: Int, violations: ViolationLog) {
    self.violations = violations
    holds = (0..<queues).map { _ in Locked(Hold()) }
  }

  /// A call of `suspend()` has returned.
  public func suspended(_ queue: Int, at time: Int64) {
    holds[queue].withLock { hold in
      hold.count += 1
      if hold.count == 1 { hold.since = time }
    }
  }

  /// The calling thread is about to call `resume()`.
  public func resumes(_ queue: Int) {
    holds[queue].withLock { hold in
      hold.count -= 1
      if hold.count == 0 { hold.since = .max }
    }
  }

  /// A call of `cancel()` has returned, and says that the body had started.
  public func saidStarted(_ ticket: Ticket, at time: Int64) {
    var known = ticket.saidStartedAt.load(ordering: .acquiring)
    while time < known {
      let (isDone, now) = ticket.saidStartedAt.compareExchange(
        expected: known, desired: time, ordering: .acquiringAndReleasing)
      if isDone { return }
      known = now
    }
  }

  /// The body of `ticket` begins on a thread that was last seen outside the library at `lastSeen`.
  public func begins(_ ticket: Ticket, lastSeen: Int64) {
    let since = holds[ticket.queue].withLock { $0.since }
    // A caller of `sync` that was admitted may run its body, whatever its thread does before that.
    if since < lastSeen, ticket.form != .synced {
      violations.report(
        .suspension, ticket,
        "began on a thread that was in other user code \((lastSeen - since) / 1_000) us after "
          + "suspend() had returned")
    }
    let answer = ticket.saidStartedAt.load(ordering: .acquiring)
    if answer < lastSeen {
      violations.report(
        .cancel, ticket,
        "began on a thread that was in other user code \((lastSeen - answer) / 1_000) us after "
          + "cancel() had answered that it was too late to stop it")
    }
  }
}
