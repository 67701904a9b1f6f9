internal import TaskDispatch

/// A time slice: how long a worker run keeps its thread when other work may want it (rule 12).
///
/// To give the thread back when no other work waits for it costs something: another thread wakes for the next run,
/// most often on a processor that one of our threads has. So before its time slice is over, the run asks whether the
/// pool has a thread to spare. If the answer comes in time, the time slice begins anew.
struct TimeSlice {
  enum End { case goesOn, asks, isOver }

  /// What is left until the next decision.
  var budget: TimeBudget
  private let began: Int64

  /// The time slice, in nanoseconds.
  static let quantum: Int64 = 2_000_000
  /// When the run asks, in nanoseconds. That is early enough for the answer to come in time where all processors are
  /// busy. If runs ended because it came late, each would leave free a thread that has just worked, and the kernel lets
  /// such a thread wait when a file's answer is wanted of it.
  static let asksAfter = quantum / 2

  init(from now: Int64) {
    began = now
    budget = TimeBudget(nanoseconds: Self.asksAfter, from: now)
  }

  /// Decides what comes next, now that the time budget is used up.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether another dispatcher waits for a thread. The thread to spare is not for that dispatcher.
  ///   - hadThreadToSpare: Whether the pool had a thread to spare at `since` or after it, whichever run has asked.
  mutating func end(
    at now: Int64, isAwaited: Bool, hadThreadToSpare: (_ since: Int64) -> Bool
  ) -> End {
    if !isAwaited, hadThreadToSpare(began + Self.asksAfter) {
      self = TimeSlice(from: now)
      return .goesOn
    }
    // No answer came, or a body has left no time for one.
    if now - began >= Self.quantum { return .isOver }
    budget = TimeBudget(nanoseconds: began + Self.quantum - now, from: now)
    return .asks
  }
}
