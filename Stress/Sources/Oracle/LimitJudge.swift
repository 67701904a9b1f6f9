internal import Synchronization

/// Watches that no more wait in a queue than its limit allows.
public final class LimitJudge: Sendable {
  private let limit: Int
  private let width: Int
  private let court: Court
  private let waiting = Atomic(0)

  /// - Parameter width: How many may have been taken and not yet begun.
  public init(limit: Int, width: Int, court: Court) {
    self.limit = limit
    self.width = width
    self.court = court
  }

  /// It was accepted. Each begin is counted at once and this one late, so the count is never too high.
  public func accepted(_ ticket: Ticket) {
    let now = waiting.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if now > limit + width {
      court.report(
        .once, ticket, "was let in as number \(now) of those who wait; the limit is \(limit)")
    }
  }

  /// It begins, or may be about to be cancelled.
  public func leaves() { waiting.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

  /// It was not cancelled: whoever begins has left by itself.
  public func stays() { waiting.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
