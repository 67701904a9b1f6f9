/// A piece of user code that a thread is in.
public struct Place: Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Code of a thread of the program's own.
    case thread
    /// A body that a worker or the loop runs; a body of `sync`, for which the caller waits; a job of a
    /// Task.
    case body, synced, job
    /// Code of a Task that runs on none of the dispatcher's queues.
    case task
    case whenEmpty, outcome, cancellation, observer
    /// The `deinit` of what a body has captured; of what a body has returned or thrown; and of what
    /// another closure has captured.
    case captured, result, closure

    /// Whether a dispatcher calls the code because something has ended.
    public var isCallback: Bool {
      switch self {
      case .thread, .body, .synced, .job, .task: false
      default: true
      }
    }
  }

  public let kind: Kind
  /// The mark of the task that the code is or belongs to; 0 for none.
  public let mark: Int
  public let standing: Standing
  public let since: Int64
  /// The call of the library that the code makes just now, and since when.
  public internal(set) var call: String?
  public internal(set) var callSince: Int64 = 0
  /// When the thread was last seen outside the library before this code began.
  let seenBefore: Int64
}
