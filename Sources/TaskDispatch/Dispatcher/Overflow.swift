/// How many tasks may wait in a queue, and what a dispatcher does with a submission to a queue that is full.
///
/// Each queue has its own limit, and counts what waits in it alone. Counted are submissions that were accepted and that
/// no thread has taken out to run yet. A submission is refused only if, at some moment of the call, as many waited as
/// the limit says. Jobs of Swift Tasks, callers of `sync`, due timers, calls of event handlers, notifications of groups
/// and replies are exempt.
public enum Overflow: Sendable, Hashable {
  /// No limit.
  case unbounded
  /// Refuses a submission with `.limitReached` if `limit` tasks wait already. The limit is at least 1.
  case reject(limit: Int)
  /// Blocks the submitting thread until there is room, for at most `timeout` (without end if nil). After that
  /// it refuses the submission with `.noRoomInTime`. The limit is at least 1.
  case blockCaller(limit: Int, timeout: Duration?)

  /// The most tasks that may wait in a queue; nil if there is no limit.
  package var limit: Int? {
    switch self {
    case .unbounded: nil
    case .reject(let limit), .blockCaller(let limit, _): limit
    }
  }

  /// Traps if the limit is less than 1.
  ///
  /// - Parameter label: The queue that the limit is for; nil if it is for each queue.
  package func validate(of label: String? = nil) {
    if let limit {
      let queue = label.map { " of the queue \"\($0)\"" } ?? ""
      require(limit >= 1, "a limit\(queue) must let at least one task wait (limit: \(limit))")
    }
  }
}
