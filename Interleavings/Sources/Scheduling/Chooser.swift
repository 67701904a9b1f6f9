/// Chooses the thread that goes on, and remembers what it chose.
///
/// Each choice is an index among the threads that can run. 0 is the thread that has the baton, if it may go on. So a
/// list of small numbers is a *schedule*: the same numbers give the same run.
package struct Chooser {
  package enum Strategy: Sendable {
    /// Always the first: the thread that has the baton goes on for as long as it can.
    case first
    case random(seed: UInt64)
    /// PCT: each thread has a random priority, and the highest goes on. At `changes` random points the thread that
    /// runs gets the lowest. It finds any bug that needs an order of `changes + 1` events, with a chance that does not
    /// depend on how many threads and points there are: Burckhardt and others, 2010.
    case priorities(seed: UInt64, changes: Int, points: Int)
    /// The choices of a schedule, and 0 after them.
    case schedule([Int])
  }

  private let strategy: Strategy
  private var dice: Dice
  private(set) var taken: [Int] = []
  /// How many threads could run, at each choice.
  private(set) var counts: [Int] = []
  private var changesAt: Set<Int> = []
  private var lowest = 0
  /// The bound of a search: preemptions that are left, and choices of another thread than the first where the thread
  /// that had the baton could not go on.
  private var budget: Search.Bounds?

  package init(_ strategy: Strategy) {
    self.strategy = strategy
    switch strategy {
    case .random(let seed): dice = Dice(seed)
    case .priorities(let seed, let changes, let points):
      dice = Dice(seed)
      for _ in 0..<changes { changesAt.insert(dice.below(max(1, points))) }
    case .first, .schedule: dice = Dice(0)
    }
  }

  /// One run of a search: `prefix`, and the first thread after that.
  init(prefix: [Int], within bounds: Search.Bounds) {
    strategy = .schedule(prefix)
    dice = Dice(0)
    budget = bounds
  }

  mutating func began(_ thread: SimulatedThread) {
    if case .priorities = strategy { thread.priority = dice.below(1 << 30) + 1 }
  }

  /// Chooses what a generated program does next.
  mutating func choose(below count: Int) -> Int {
    let choice: Int
    switch strategy {
    case .first: choice = 0
    case .random, .priorities: choice = dice.below(count)
    case .schedule(let schedule): choice = next(of: schedule, below: count)
    }
    taken.append(choice)
    // A search stays with one program.
    counts.append(budget == nil ? count : choice + 1)
    return choice
  }

  /// - Parameters:
  ///   - candidates: At least two threads that can run.
  ///   - isFree: Whether the thread that has the baton cannot go on, or gives way: then it is no preemption to choose
  ///     another.
  ///   - current: The thread that has the baton.
  mutating func choose(
    among candidates: [SimulatedThread], isFree: Bool, _ current: SimulatedThread
  ) -> Int {
    let count = budget?.allowed(of: candidates.count, isFree: isFree) ?? candidates.count
    let choice: Int
    switch strategy {
    case .first: choice = 0
    case .random: choice = dice.below(count)
    case .priorities:
      if isFree || changesAt.contains(taken.count) {
        lowest -= 1
        current.priority = lowest
      }
      choice = candidates.indices.max { candidates[$0].priority < candidates[$1].priority }!
    case .schedule(let schedule): choice = next(of: schedule, below: count)
    }
    if choice > 0 { budget?.spend(isFree: isFree) }
    taken.append(choice)
    counts.append(count)
    return choice
  }

  /// The next choice of a schedule, or 0: a schedule that was made shorter may not fit any more.
  private func next(of schedule: [Int], below count: Int) -> Int {
    let wanted = taken.count < schedule.count ? schedule[taken.count] : 0
    return wanted < count ? wanted : 0
  }
}

/// Random numbers from a seed: SplitMix64.
struct Dice {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
