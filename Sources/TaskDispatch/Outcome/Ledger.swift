/// How many submissions a dispatcher has had, and how they ended.
///
/// The dispatcher reads all numbers under the lock that guards them, so they belong to one instant; only refusals of a
/// full queue may be some moments newer. What still waits for room when a shutdown begins was counted as accepted, and
/// counts as refused from then on. Each run
/// of a repeating timer counts as a submission of its own. The timer counts as one more, which ends
/// cancelled.
public struct Ledger: Sendable, Hashable, Codable {
  /// Submissions that were accepted.
  public var accepted = 0
  /// Submissions that were refused.
  public var refused = 0
  public var completed = 0
  public var failed = 0
  public var cancelled = 0
  public var expired = 0
  public var abandoned = 0
  /// Accepted and not yet started: in a queue, suspended with it, or waiting for a time, a group or room.
  public var waiting = 0
  /// Started and not yet ended.
  public var running = 0

  public init() {}

  /// All submissions so far.
  public var submitted: Int { accepted + refused }

  /// Submissions that have ended, without the refused ones.
  public var ended: Int { completed + failed + cancelled + expired + abandoned }

  /// Whether every accepted submission is accounted for, exactly once (rule 2).
  public var balances: Bool { accepted == ended + waiting + running }

  /// Counts a submission that has ended with `outcome`. For dispatchers.
  @inlinable public mutating func count(_ outcome: Outcome) {
    switch outcome {
    case .completed: completed += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .expired: expired += 1
    case .abandoned: abandoned += 1
    case .refused: refused += 1
    }
  }
}

extension Ledger: CustomStringConvertible {
  public var description: String {
    """
    \(submitted) submitted (\(refused) refused): \(completed) completed, \(failed) failed, \
    \(cancelled) cancelled, \(expired) expired, \(abandoned) abandoned, \(waiting) waiting, \
    \(running) running\(balances ? "" : " — THE LEDGER DOES NOT BALANCE")
    """
  }
}
