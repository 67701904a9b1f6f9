internal import TaskDispatch

/// How long a lease keeps its thread when others may want it (rule 12).
///
/// To give it back when nobody does would cost: another thread wakes for the next lease, most often on
/// a processor that one of ours has. So before its quantum is over the lease asks whether the pool has a
/// thread to spare. If the answer comes in time, the quantum begins anew.
struct Term {
  enum End { case goesOn, asks, isOver }

  /// What is left until the next decision.
  var allotment: Allotment
  private let began: Int64

  /// In nanoseconds.
  static let quantum: Int64 = 2_000_000
  /// Early enough that the answer comes in time where all processors are busy: if leases ended for
  /// that, the thread that they leave free would each time be one that has just worked, and which the
  /// kernel lets wait when a file's answer is wanted of it.
  static let asksAfter = quantum / 2

  init(from now: Int64) {
    began = now
    allotment = Allotment(nanoseconds: Self.asksAfter, from: now)
  }

  /// What comes next, now that the allotment is used up.
  ///
  /// - Parameters:
  ///   - isAwaited: Whether another dispatcher waits for a thread. The one to spare is not for that.
  ///   - hadThreadToSpare: Whether the pool had one at `since` or after it, whatever thread has asked.
  mutating func end(
    at now: Int64, isAwaited: Bool, hadThreadToSpare: (_ since: Int64) -> Bool
  ) -> End {
    if !isAwaited, hadThreadToSpare(began + Self.asksAfter) {
      self = Term(from: now)
      return .goesOn
    }
    // There was no answer, or a body has left no time for one.
    if now - began >= Self.quantum { return .isOver }
    allotment = Allotment(nanoseconds: began + Self.quantum - now, from: now)
    return .asks
  }
}
