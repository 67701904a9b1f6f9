internal import TaskDispatch

/// How long a thread may go on with one body after the other.
///
/// Reading the clock costs more than the rest of what is done for a short body. So it is read after
/// the first body, and then after twice as many as the last time, at most after ``mostUnseen``, for as
/// long as they are short.
struct Allotment {
  private let end: Int64
  /// Bodies that last less, all those together that ran between two looks, are short.
  private let short: Int64
  /// When the clock was read last.
  private(set) var lastLook: Int64
  private var unseen = 0
  private var stride = 1

  /// How many bodies may run between two looks.
  static let mostUnseen = 8

  /// - Parameters:
  ///   - nanoseconds: What is allotted. At least 1.
  ///   - now: When it begins.
  init(nanoseconds: Int64, from now: Int64) {
    end = now.addingClamped(nanoseconds)
    short = nanoseconds / 64
    lastLook = now
  }

  /// Whether it is used up, now that one more body has run.
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
