/// Why a call that would have blocked its thread (`sync`, `wait`) was refused, or gave up.
///
/// A refused `sync` has not run its body, and has left nothing in any queue.
public enum WaitRefusal: Error, Sendable, Hashable {
  /// The wait could never end: only tasks that wait for this call, directly or through others, could end it
  /// (rule 14).
  ///
  /// The chain begins with the caller. Each link waits for the next.
  case wouldDeadlock(chain: [WaitLink])
  /// The fake runs everything on one thread, and cannot put this call in an order there, although several
  /// threads could. Only fakes throw this.
  case cannotBeOrdered(chain: [WaitLink])
  /// Nothing that this dispatcher knows of can end the wait. Or as many bodies have run during the wait as
  /// the dispatcher's step limit allows. Only fakes throw this.
  ///
  /// The text says what the call waits for, and what is missing.
  case nothingCanEndIt(String)
  /// The time-out passed first.
  case timedOut
  /// The submission behind the call was refused.
  case refused(Refusal)
}

/// One link in a chain of waits: a running task, and the queue or task that it waits for.
public struct WaitLink: Sendable, Hashable, Codable {
  /// The label of the waiting task, else its file and line. `"this thread"` for a caller outside any task.
  public let waiter: String
  /// The queue that the waiting task runs on. Nil outside any task.
  public let waiterQueue: String?
  /// The queue or task that it waits for.
  public let waitsFor: String

  public init(waiter: String, waiterQueue: String?, waitsFor: String) {
    self.waiter = waiter
    self.waiterQueue = waiterQueue
    self.waitsFor = waitsFor
  }
}

extension WaitLink: CustomStringConvertible {
  public var description: String {
    "\(waiter)\(waiterQueue.map { " on \($0)" } ?? "") waits for \(waitsFor)"
  }
}

extension WaitRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .wouldDeadlock(let chain):
      "this would wait for itself: " + Self.join(chain)
        + ". Submit the work instead of waiting for it, or call it directly."
    case .cannotBeOrdered(let chain):
      "the fake runs one body at a time and cannot suspend one to run another: "
        + Self.join(chain)
        + ". On threads this may work; to test it, step the tasks in front of it first."
    case .nothingCanEndIt(let reason): reason
    case .timedOut: "the time-out passed first"
    case .refused(let refusal): "refused: \(refusal)"
    }
  }

  private static func join(_ chain: [WaitLink]) -> String {
    chain.map(\.description).joined(separator: "; ")
  }
}
