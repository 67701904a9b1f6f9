internal import Synchronization

/// What is heard of a task's end, from any thread and any number of times.
extension QueueJudge {
  /// What a task is said to have come to.
  public enum Ending: Sendable {
    case ran, cancelled, expired, abandoned
  }

  /// A thread was told how `ticket` has ended: by `wait()`, by an awaited outcome, or by a `cancel()` that
  /// came before the start. It may be told more than once, and so may others.
  public func heard(_ ending: Ending, of ticket: Ticket) {
    switch ending {
    case .ran:
      if !ticket.hasRun { court.report(.once, ticket, "is said to have run, and did not") }
    case .abandoned:
      // Its thread may stand before the first instruction.
      if ticket.hasEndedUnrun {
        court.report(.once, ticket, "is said to be abandoned, and never started")
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
    court.report(rule, ticket, "is said to have been \(word), and \(other)")
  }
}
