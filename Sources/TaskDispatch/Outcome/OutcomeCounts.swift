/// How the submissions of one queue have ended.
public struct OutcomeCounts: Sendable, Hashable, Codable {
  public var completed = 0
  public var failed = 0
  public var cancelled = 0
  public var expired = 0
  public var abandoned = 0
  public var refused = 0

  public init() {}

  /// Counts a submission that has ended with `outcome`, or that was refused. For dispatchers.
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

extension OutcomeCounts: CustomStringConvertible {
  /// The counts that are not zero: `120 completed, 3 refused`. `none ended` if all are.
  public var description: String {
    let counts = [
      (completed, "completed"), (failed, "failed"), (cancelled, "cancelled"),
      (expired, "expired"), (abandoned, "abandoned"), (refused, "refused"),
    ]
    let text = counts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return text.isEmpty ? "none ended" : text
  }
}
