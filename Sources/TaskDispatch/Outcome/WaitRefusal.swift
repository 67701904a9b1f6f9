/// Why a call that would have stood still (`sync`, `wait`) did not.
///
/// The body of the `sync` has not run, and nothing is left in any queue.
public enum WaitRefusal: Error, Sendable, Hashable {
  /// Only what waits, directly or in a circle, for this call could let it go on (rule 14).
  ///
  /// The chain begins with the caller; each link waits for the next.
  case wouldDeadlock(chain: [WaitLink])
  /// A fake runs everything on one thread, and on one thread this cannot be put in an order,
  /// although threads could. Only fakes throw this.
  case cannotBeOrdered(chain: [WaitLink])
  /// Nothing that this dispatcher knows of can end the wait, or as many bodies have run during it as its step
  /// limit allows. Only fakes throw this.
  ///
  /// What it waits for, and what is missing, is in the text.
  case nothingCanEndIt(String)
  /// The time-out passed first.
  case timedOut
  /// The submission behind the call was refused.
  case refused(Refusal)
}

/// One link in a chain of waiting: a running task, and the queue or task that it waits for.
public struct WaitLink: Sendable, Hashable {
  /// Label, else file and line, of what waits. `"this thread"` for a caller outside any task.
  public let waiter: String
  /// The queue that the waiter runs on, or nil outside any task.
  public let waiterQueue: String?
  /// What it waits for.
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
