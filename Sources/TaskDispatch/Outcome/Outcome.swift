/// How a submission ended. Each submission ends exactly once (rule 2).
public enum Outcome: Sendable {
  /// The body ran to its end.
  case completed
  /// The body threw.
  case failed(any Error)
  /// The task was cancelled before it started. The body never ran.
  case cancelled
  /// Its time to live passed before the task started. The body never ran. The task gets this outcome when its turn
  /// comes, so later than its time if its queue is suspended or other tasks are ahead of it.
  case expired
  /// The submission was refused. The body never ran.
  case refused(Refusal)
  /// The task had started, and still ran when the shutdown's deadline passed.
  case abandoned
}

extension Outcome: Equatable {
  /// Failures are equal if their errors have the same type and the same description.
  public static func == (lhs: Outcome, rhs: Outcome) -> Bool {
    switch (lhs, rhs) {
    case (.completed, .completed), (.cancelled, .cancelled), (.expired, .expired),
      (.abandoned, .abandoned):
      true
    case (.refused(let left), .refused(let right)): left == right
    case (.failed(let left), .failed(let right)):
      type(of: left) == type(of: right) && String(describing: left) == String(describing: right)
    default: false
    }
  }
}

extension Outcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .completed: "completed"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled before it started"
    case .expired: "expired before it started"
    case .refused(let refusal): "refused: \(refusal)"
    case .abandoned: "abandoned: it still ran at the shutdown's deadline"
    }
  }
}

/// What a call of `cancel()` achieved (rule 9).
@frozen public enum Cancellation: Sendable, Hashable {
  /// The task had not started. The body never runs, and has been released.
  case beforeStart
  /// The task has started. Its body can read ``CurrentTask/isCancelled``, and decides itself whether to stop.
  case requested
  /// The task had ended already.
  case tooLate
}

/// Thrown to code that waits for the value of a task that has none.
public struct NoValue: Error, Sendable, CustomStringConvertible {
  /// How the task ended instead of completing.
  public let outcome: Outcome
  public let label: String?
  /// Where the task was submitted.
  public let site: CallSite

  public var description: String {
    "the task \(label.map { "\"\($0)\" " } ?? "")from \(site) has no value: \(outcome)"
  }
}
