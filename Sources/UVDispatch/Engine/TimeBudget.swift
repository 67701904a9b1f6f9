internal import TaskDispatch

/// A time budget: how long a thread may run one body after the other.
///
/// To read the clock costs more than the rest of what is done for a short body. So the clock is read after the first
/// body. Then, for as long as bodies are short, it is read after twice as many as the last time, at most after
/// ``mostUnseen``.
struct TimeBudget {
  private let end: Int64
  /// In nanoseconds. Bodies are short if all that ran between two readings of the clock took less than this together.
  private let short: Int64
  /// When the clock was read last.
  private(set) var lastLook: Int64
  private var unseen = 0
  private var stride = 1

  /// How many bodies may run between two readings of the clock.
  static let mostUnseen = 8

  /// - Parameters:
  ///   - nanoseconds: The budget. At least 1.
  ///   - now: When it begins, in nanoseconds.
  init(nanoseconds: Int64, from now: Int64) {
    end = now.addingClamped(nanoseconds)
    short = nanoseconds / 64
    lastLook = now
  }

  /// Counts one more body that has run, and says whether the budget is used up.
  @inline(__always) mutating func isUsedUp(now: () -> Int64) -> Bool {
    unseen += 1
    return unseen < stride ? false : look(at: now())
  }

  private mutating func look(at time: Int64) -> Bool {
    stride = time - lastLook < short ? min(Self.mostUnseen, stride * 2) : 1
    unseen = 0
    lastLook = time
    return time >= end
  }
}
