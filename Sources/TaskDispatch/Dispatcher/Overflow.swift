/// What a dispatcher does with a submission to a queue that is full. Limits count the tasks that
/// wait in each queue; jobs of Swift Tasks, due timers and replies are exempt.
public enum Overflow: Sendable, Hashable {
  /// No limit.
  case unbounded
  /// Refuses with `.limitReached` what would make it more than `limit` waiting tasks. At least 1.
  case reject(limit: Int)
  /// Lets the caller stand still until there is room, at most for `timeout` (for ever if nil), and
  /// then refuses with `.noRoomInTime`. The limit is at least 1.
  case blockCaller(limit: Int, timeout: Duration?)

  /// The most tasks that may wait in a queue; nil if there is no limit.
  package var limit: Int? {
    switch self {
    case .unbounded: nil
    case .reject(let limit), .blockCaller(let limit, _): limit
    }
  }

  /// Traps if the limit lets nothing in.
  package func validate() {
    if let limit {
      require(limit >= 1, "a limit must let at least one task wait (limit: \(limit))")
    }
  }
}
