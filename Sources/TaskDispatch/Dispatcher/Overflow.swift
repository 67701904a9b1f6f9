/// What a dispatcher does with a submission to a queue that is full.
///
/// A limit counts the tasks that wait in each queue. Jobs of Swift Tasks, due timers and replies are exempt.
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
  package func validate() {
    if let limit {
      require(limit >= 1, "a limit must let at least one task wait (limit: \(limit))")
    }
  }
}
