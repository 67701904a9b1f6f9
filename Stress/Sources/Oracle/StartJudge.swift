internal import Synchronization

/// Watches that nothing starts which certainly had not started when a call returned that holds it back.
///
/// A body may have been taken by a thread and not have come to its first instruction. But a thread that
/// has been in other user code since had not started it then, whatever it had taken: between the call and
/// the body it stood in that code.
public final class StartJudge: Sendable {
  private struct Hold {
    var count = 0
    var since: Int64 = .max
  }

  private let court: Court
  private let holds: [Locked<Hold>]

  public init(queues: Int, court: Court) {
    self.court = court
    holds = (0..<queues).map { _ in Locked(Hold()) }
  }

  /// A call of `suspend()` has returned.
  public func suspended(_ queue: Int, at time: Int64) {
    holds[queue].withLock { hold in
      hold.count += 1
      if hold.count == 1 { hold.since = time }
    }
  }

  /// `resume()` is about to be called.
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
    // A caller of `sync` that was admitted has its turn, whatever its thread does before it takes that.
    if since < lastSeen, ticket.form != .synced {
      court.report(
        .suspension, ticket,
        "began on a thread that was in other user code \((lastSeen - since) / 1_000) us after "
          + "suspend() had returned")
    }
    let answer = ticket.saidStartedAt.load(ordering: .acquiring)
    if answer < lastSeen {
      court.report(
        .cancel, ticket,
        "began on a thread that was in other user code \((lastSeen - answer) / 1_000) us after "
          + "cancel() had answered that it was too late to stop it")
    }
  }
}
