internal import Synchronization

/// Checks that no more tasks wait in a queue than its limit allows.
public final class LimitChecker: Sendable {
  private let limit: Int
  private let width: Int
  private let violations: ViolationLog
  private let waiting = Atomic(0)

  /// - Parameter width: How many tasks may have been taken and not have begun.
  public init(limit: Int, width: Int, violations: ViolationLog) {
    self.limit = limit
    self.width = width
    self.violations = violations
  }

  /// A task was accepted. Each begin is counted at once and each acceptance late, so the count is never
  /// too high.
  public func accepted(_ ticket: Ticket) {
    let now = waiting.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if now > limit + width {
      violations.report(
        .once, ticket, "was let in as number \(now) of the tasks that wait; the limit is \(limit)")
    }
  }

  /// A task begins, or the calling thread is about to cancel it.
  public func leaves() { waiting.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

  /// The cancellation came too late. A task that begins is counted by its own begin.
  public func stays() { waiting.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
