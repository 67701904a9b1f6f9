internal import Synchronization

/// What threads are told of a task's end. Any thread may be told, any number of times.
extension QueueChecker {
  /// The outcome that a thread is told.
  public enum Ending: Sendable {
    case ran, cancelled, expired, abandoned
  }

  /// The calling thread was told how `ticket` has ended: by `wait()`, by an awaited outcome, or by a
  /// `cancel()` that came before the start. The same outcome may be told again, and to other threads.
  public func heard(_ ending: Ending, of ticket: Ticket) {
    switch ending {
    case .ran:
      if !ticket.hasRun { violations.report(.once, ticket, "is said to have run, and did not") }
    case .abandoned:
      // The body's thread may not have come to its first instruction.
      if ticket.hasEndedUnrun {
        violations.report(.once, ticket, "is said to be abandoned, and never started")
      }
    case .cancelled: neverRuns(ticket, Ticket.Phase.cancelled, .cancel, "cancelled")
    case .expired: neverRuns(ticket, Ticket.Phase.expired, .once, "expired")
    }
  }

  private func neverRuns(_ ticket: Ticket, _ phase: UInt8, _ rule: Rule, _ word: String) {
    if ticket.move(from: Ticket.Phase.submitted, to: phase) { return }
    let now = ticket.phase.load(ordering: .acquiring)
    if now == phase { return }
    let other = now <= Ticket.Phase.ran ? "has run" : "has ended otherwise"
    violations.report(rule, ticket, "is said to have been \(word), and \(other)")
  }
}
