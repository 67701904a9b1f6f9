/// Whether a dispatcher has accepted a submission. The submitting call returns it.
///
/// The answer is final. An accepted submission gets exactly one outcome (rule 2). Of a refused submission the
/// dispatcher keeps nothing.
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
  /// Shutdown has begun, and the submission did not come from work of this dispatcher.
  case shutDown
  /// As many tasks wait in the queue as its limit allows. Submit again later, or do without.
  case limitReached
  /// The submitting thread waited for room, and its time-out passed first.
  case noRoomInTime
  /// Waiting for room would have meant waiting for the submitting thread itself (rule 14).
  case wouldDeadlock
  /// This process was forked from the process that made the dispatcher. It can only call `_exit` or exec.
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
