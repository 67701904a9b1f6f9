import TaskDispatch
import TestSupport

/// What a seed decides about a random program before it begins.
struct Plan: Sendable {
  enum Ending: Sendable {
    /// A shutdown with time to drain, once every thread has done its part.
    case atLast
    /// A shutdown in the middle, with time to drain.
    case early
    /// A shutdown in the middle, which cancels what has not started.
    case abrupt
  }

  let seed: Int
  let workers: Int
  let views: [Int]
  let threads: Int
  let actions: Int
  let ending: Ending
  /// Whether every worker and the loop are held until each thread has done half of its actions, so that the
  /// queues grow.
  let isHeld: Bool
  /// Whether the loop begins only when the threads have done their part.
  let loopIsLate: Bool
  let overflow: Overflow
  /// Whether some timers repeat. As long as one does, no wait is found to be for ever, so no body waits.
  let repeats: Bool
  /// Whether some Swift Tasks take part.
  let hasTasks: Bool
  let agingStep: Duration
  /// One thread does everything.
  let isStepped: Bool

  /// - Parameters:
  ///   - isObserved: Whether an observer records the history. The history does not tell when a `run` that waited
  ///     for room got it, so a program with Swift Tasks then has no limit.
  ///   - isStepped: Whether one thread does everything, and no Swift Task takes part.
  init(seed: Int, isObserved: Bool = false, isStepped: Bool = false) {
    var dice = Dice(seed: seed)
    self.seed = seed
    self.isStepped = isStepped
    workers = 1 + dice.roll(3)
    views = (0..<dice.roll(4)).map { _ in max(1, dice.roll(4)) }
    threads = 2 + dice.roll(3)
    actions = 8 + dice.roll(8)
    switch dice.roll(6) {
    case 0: ending = .early
    case 1: ending = .abrupt
    default: ending = .atLast
    }
    let blocks = dice.once(in: 10)
    isHeld = dice.once(in: 2) && !blocks
    loopIsLate = dice.once(in: 5) && !blocks
    repeats = dice.once(in: 3) && !blocks
    let hasTasks = dice.once(in: 6)
    self.hasTasks = hasTasks && !isStepped
    overflow =
      isObserved && hasTasks
      ? .unbounded
      : blocks
        ? .blockCaller(limit: 3 + dice.roll(4), timeout: nil)
        : dice.once(in: 6) ? .reject(limit: 3 + dice.roll(8)) : .unbounded
    // An hour is longer than any program, so the bands are strict then.
    agingStep = dice.once(in: 4) ? .nanoseconds(1 + dice.roll(2_000)) : .seconds(3600)
  }

  var bandsAreStrict: Bool { agingStep == .seconds(3600) }
  var mayBlockForRoom: Bool { if case .blockCaller = overflow { true } else { false } }
}
