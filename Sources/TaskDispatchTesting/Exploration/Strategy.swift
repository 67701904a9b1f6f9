internal import TaskDispatch

/// Which orders an exploration tries, and in what sequence.
public enum ExplorationStrategy: Sendable, Hashable {
  /// Every order that differs from the preferred one in at most so many choices.
  ///
  /// Orders with fewer differences come first, so the first failure differs in as few choices as possible. A task
  /// before which such a choice lets another go is deferred until nothing else can go, or until it is chosen.
  case bounded(deviations: Int)
  /// Every order. For small scenarios: `n` independent tasks have up to n! of them.
  case exhaustive
  /// So many schedules in which every choice has equal chances. The same seed gives the same schedules.
  case random(seed: UInt64, schedules: Int)
  /// So many schedules in which chains of tasks have random priorities.
  ///
  /// At random steps, `depth − 1` chains lose their priority. Finds a bug that takes `depth` orderings with a chance
  /// that does not shrink with the number of orders.
  case prioritized(depth: Int, seed: UInt64, schedules: Int)
  /// These strategies, one after the other.
  case portfolio([ExplorationStrategy])

  /// The strategies, made for few schedules, with which ``SelfCheck`` tests this one.
  var probing: [ExplorationStrategy] {
    switch self {
    case .bounded(let deviations): [.bounded(deviations: max(1, deviations))]
    case .exhaustive: [.exhaustive]
    case .random(let seed, _): [.random(seed: seed, schedules: 64)]
    case .prioritized(let depth, let seed, _):
      // The built-in race takes two orderings.
      [.prioritized(depth: max(2, depth), seed: seed, schedules: 64)]
    case .portfolio(let strategies): strategies.flatMap(\.probing)
    }
  }

  /// The first seed in the strategy. Nil if it leaves nothing to chance.
  var seed: UInt64? {
    switch self {
    case .bounded, .exhaustive: nil
    case .random(let seed, _), .prioritized(_, let seed, _): seed
    case .portfolio(let strategies): strategies.lazy.compactMap(\.seed).first
    }
  }

  func validate() {
    switch self {
    case .bounded(let deviations):
      require(deviations >= 0, "an order differs in no fewer than no choices (\(deviations))")
    case .exhaustive: break
    case .random(_, let schedules):
      require(schedules >= 1, "a random exploration needs a schedule (schedules: \(schedules))")
    case .prioritized(let depth, _, let schedules):
      require(schedules >= 1, "an exploration needs a schedule (schedules: \(schedules))")
      require(depth >= 1, "a bug takes at least one ordering (depth: \(depth))")
    case .portfolio(let strategies):
      require(!strategies.isEmpty, "a portfolio holds at least one strategy")
      for strategy in strategies { strategy.validate() }
    }
  }

  /// - Parameter isReduced: Whether the tasks' resources are declared.
  func searches(isReduced: Bool) -> [any ScheduleSearch] {
    switch self {
    case .bounded(let deviations): [BoundedSearch(deviations: deviations)]
    case .exhaustive: [isReduced ? ReducedSearch() : ExhaustiveSearch()]
    case .random(let seed, let schedules): [RandomSearch(seed: seed, schedules: schedules)]
    case .prioritized(let depth, let seed, let schedules):
      [PrioritizedSearch(depth: depth, seed: seed, schedules: schedules)]
    case .portfolio(let strategies): strategies.flatMap { $0.searches(isReduced: isReduced) }
    }
  }
}

/// Names one schedule after the other, and learns from each run which choices there are.
protocol ScheduleSearch {
  /// The next schedule. Nil if there is none left.
  mutating func next() -> Decisions.Plan?
  /// Learns from the run of the last schedule which choices there were.
  mutating func ran(_ decisions: Decisions)
  /// Whether every order has been tried.
  var hasTriedEverything: Bool { get }
}

/// Tries the schedules with the fewest deviating choices first.
struct BoundedSearch: ScheduleSearch {
  private let most: Int
  /// Schedules that were found and not tried yet, those with fewer deviations first.
  private var waiting: [[Decisions.Deviation]] = [[]]
  private var first = 0
  private var current: [Decisions.Deviation] = []
  private var isCut = false

  init(deviations: Int) { most = deviations }

  mutating func next() -> Decisions.Plan? {
    guard first < waiting.count else { return nil }
    current = waiting[first]
    waiting[first] = []
    first += 1
    if first >= 1024, first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    return .deviating(current)
  }

  /// Adds every schedule that deviates from the last one in one more choice, behind all of its deviations. So each
  /// schedule is found once.
  mutating func ran(_ decisions: Decisions) {
    let taken = decisions.taken
    let start = current.last.map { Int($0.position) + 1 } ?? 0
    guard start < taken.count else { return }
    guard current.count < most else {
      isCut = true
      return
    }
    for position in start..<taken.count {
      for chosen in 1..<taken[position].count {
        waiting.append(
          current + [
            Decisions.Deviation(
              position: Int32(position), chosen: chosen, count: taken[position].count)
          ])
      }
    }
  }

  var hasTriedEverything: Bool { first >= waiting.count && !isCut }
}

/// Searches depth first: the last choice with an untried option is the next one to change.
struct ExhaustiveSearch: ScheduleSearch {
  private var prefix: [Decision]? = []

  mutating func next() -> Decisions.Plan? { prefix.map { .repeating($0) } }

  mutating func ran(_ decisions: Decisions) {
    let taken = decisions.taken
    guard let last = taken.lastIndex(where: { $0.chosen + 1 < $0.count }) else {
      prefix = nil
      return
    }
    let changed = taken[last]
    prefix =
      taken[..<last] + [
        Decision(chosen: changed.chosen + 1, count: changed.count, kind: changed.kind)
      ]
  }

  var hasTriedEverything: Bool { prefix == nil }
}

struct RandomSearch: ScheduleSearch {
  private var dice: SplitMix64
  private var left: Int

  init(seed: UInt64, schedules: Int) {
    dice = SplitMix64(seed: seed)
    left = schedules
  }

  mutating func next() -> Decisions.Plan? {
    guard left > 0 else { return nil }
    left -= 1
    return .random(seed: dice.next())
  }

  mutating func ran(_ decisions: Decisions) {}

  var hasTriedEverything: Bool { false }
}

struct PrioritizedSearch: ScheduleSearch {
  private let depth: Int
  private var dice: SplitMix64
  private var left: Int
  /// The most steps of any schedule so far.
  private var longest = 1

  init(depth: Int, seed: UInt64, schedules: Int) {
    self.depth = depth
    dice = SplitMix64(seed: seed)
    left = schedules
  }

  mutating func next() -> Decisions.Plan? {
    guard left > 0 else { return nil }
    left -= 1
    let changes = (1..<depth).map { _ in Int(dice.next() % UInt64(longest)) }.sorted()
    return .prioritized(Priorities(seed: dice.next(), changes: changes))
  }

  mutating func ran(_ decisions: Decisions) { longest = max(longest, decisions.steps) }

  var hasTriedEverything: Bool { false }
}
