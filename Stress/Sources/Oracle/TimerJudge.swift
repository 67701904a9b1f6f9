internal import Synchronization

/// Watches the foreground's timers: what is due runs by deadline.
public final class TimerJudge: @unchecked Sendable {
  private let court: Court
  // Touched by the loop's thread only.
  private var latestDue: Int64 = .min

  public init(court: Court) { self.court = court }

  /// The timer of `ticket` runs, on the loop's thread.
  ///
  /// A delay counts from some moment of the call that asks for it, so its deadline is known to lie
  /// within the length of that call. It is late in the order if one with a certainly later deadline ran
  /// before it, although it certainly stood among the timers before that other was due: then both became
  /// due in one order.
  public func begin(_ ticket: Ticket) {
    let returned = ticket.returnedAt.load(ordering: .acquiring)
    if returned < .max {
      let latest = max(ticket.due + returned - ticket.submittedAt, returned)
      if latestDue > latest {
        court.report(
          .time, ticket,
          "was due at \(ticket.due) ns, and ran after one that was due at \(latestDue) ns")
      }
    }
    latestDue = max(latestDue, ticket.due)
  }
}
