internal import Synchronization

/// Checks that the foreground's timers run by deadline.
public final class TimerChecker: @unchecked Sendable {
  private let violations: ViolationLog
  // Touched by the loop's thread only.
  private var latestDue: Int64 = .min

  public init(violations: ViolationLog) { self.violations = violations }

  /// The timer of `ticket` runs, on the loop's thread.
  ///
  /// A delay counts from some moment of the call that asks for it, so the deadline is known only within
  /// the length of that call. The timer breaks the order if a timer with a certainly later deadline ran
  /// before it, although this timer was certainly registered before the other was due: both were then
  /// due together, and the earlier deadline goes first.
  public func begin(_ ticket: Ticket) {
    let returned = ticket.returnedAt.load(ordering: .acquiring)
    if returned < .max {
      let latest = max(ticket.due + returned - ticket.submittedAt, returned)
      if latestDue > latest {
        violations.report(
          .time, ticket,
          "was due at \(ticket.due) ns, and ran after one that was due at \(latestDue) ns")
      }
    }
    latestDue = max(latestDue, ticket.due)
  }
}
