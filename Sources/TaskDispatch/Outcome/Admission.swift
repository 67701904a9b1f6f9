/// What a dispatcher says at once to a submission: in, or out.
///
/// The answer is final. What was accepted gets exactly one outcome; of what was refused nothing is
/// kept (rule 2).
@frozen public enum Admission: Sendable, Hashable {
  /// The task will run, unless it is cancelled, expires or is abandoned.
  case accepted
  /// The task will never run; its body has been released.
  case refused(Refusal)

  /// Whether the task was accepted.
  @inlinable public var isAccepted: Bool { self == .accepted }
}

extension Admission: CustomStringConvertible {
  public var description: String {
    switch self {
    case .accepted: "accepted"
    case .refused(let refusal): "refused: \(refusal)"
    }
  }
}

/// Why a submission was refused.
@frozen public enum Refusal: UInt8, Error, Sendable, Hashable, CaseIterable {
  /// Shutdown has begun, and the submission did not come from this dispatcher's own work.
  case shutDown
  /// The queue holds as many tasks as its limit allows. Try again later, or do without.
  case limitReached
  /// The caller waited for room until its time-out.
  case noRoomInTime
  /// Waiting for room would have waited for the caller itself (rule 14).
  case wouldDeadlock
  /// This process was forked from the one that made the dispatcher. Only `_exit` or exec is left.
  case forkedChild
  /// A fake whose policy is `.unimplemented` was used.
  case unimplemented
}

extension Refusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .shutDown: "the dispatcher is shutting down"
    case .limitReached: "the queue is full"
    case .noRoomInTime: "the queue stayed full until the time-out"
    case .wouldDeadlock: "waiting for room would wait for the caller itself"
    case .forkedChild: "this is a forked child; it can only exec or _exit"
    case .unimplemented: "the test did not expect this dispatcher to be used"
    }
  }
}
