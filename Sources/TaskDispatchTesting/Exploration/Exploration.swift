internal import TaskDispatch

/// What an exploration has found.
public struct Exploration<Outcome: Hashable & Sendable>: Sendable {
  /// The different outcomes that the scenario returned in the orders that were tried.
  public private(set) var outcomes = Outcomes<Outcome>()
  /// One failure of each kind. Empty if failures are thrown.
  public private(set) var failures: [ScheduleFailure] = []
  /// How many schedules were run. Two may be the same order, since a choice may turn out to have no effect.
  public internal(set) var schedulesRun = 0
  /// How many different orders of bodies, events and answers of calls there were among them.
  public var ordersSeen: Int { tally.orders.count }
  /// Whether every order was tried that the calls of the scenario allow.
  ///
  /// False if a bound or the budget left one out, be it the budget of schedules or ``ExplorationBudget/timersAhead``.
  /// What one call runs is over before the next call moves time. So a scenario that moves time in two calls has fewer
  /// orders than one that moves it in one.
  public internal(set) var isExhausted = false
  /// How many choices of each kind there were, and how wide they were.
  public var choices: [ChoiceKind: ExplorationChoices] { tally.choices }
  public let strategy: ExplorationStrategy
  /// The seed of the strategy. Nil if it leaves nothing to chance. For a portfolio, the first seed in it.
  public var seed: UInt64? { strategy.seed }
  /// The width of the background: the most tasks that were started at a time.
  public let width: Int
  /// Whether a token named the one schedule that was run.
  public internal(set) var isReplay = false
  var tally = Tally()
  /// The file for schedules that came to an unwanted end. Nil without one.
  private let regressions: Regressions?

  init(strategy: ExplorationStrategy, width: Int, regressions: Regressions? = nil) {
    self.strategy = strategy
    self.width = width
    self.regressions = regressions
  }

  mutating func add(_ explained: Explorer<Outcome>.Explained) {
    switch explained.ending {
    case .outcome(let outcome): outcomes.add(outcome, explained.witness)
    case .failure(let failure):
      failures.append(
        ScheduleFailure(failure, explained.witness, schedulesRun: schedulesRun))
    }
  }

  // MARK: Expecting

  /// Throws unless every order came to the same outcome.
  public func requireAlwaysSame() throws(UnexpectedOutcomes) {
    guard outcomes.count > 1 else { return }
    throw unexpected("one outcome", outcomes.all)
  }

  /// Throws unless each of `expected` came about in some order, and no other outcome did.
  ///
  /// A replay runs one order, so it throws only for an outcome that is not expected.
  public func requireOutcomes(_ expected: Set<Outcome>) throws(UnexpectedOutcomes) {
    let missing = isReplay ? [] : expected.filter { !outcomes.contains($0) }
    let others = outcomes.all.filter { !expected.contains($0.outcome) }
    guard !missing.isEmpty || !others.isEmpty else { return }
    let never = missing.map { "\($0)" }.sorted().joined(separator: ", ")
    throw unexpected(
      "\(expected)" + (missing.isEmpty ? "" : ", and never saw \(never)"), others)
  }

  /// Throws if some order came to an outcome that `isForbidden`. Throws what `isForbidden` throws.
  public func requireNone(
    where isForbidden: (Outcome) throws -> Bool
  ) throws {
    let forbidden = try outcomes.all.filter { try isForbidden($0.outcome) }
    guard forbidden.isEmpty else {
      throw unexpected("none that is forbidden", forbidden)
    }
  }

  private func unexpected(
    _ expected: String, _ got: [(outcome: Outcome, witness: ScheduleWitness?)]
  ) -> UnexpectedOutcomes {
    for (outcome, witness) in got {
      // The preferred order runs in any case, so the file need not hold it.
      if let witness, !witness.facts.isEmpty { regressions?.add(witness.token, "\(outcome)") }
    }
    return UnexpectedOutcomes(expected, got, of: schedulesRun)
  }
}

/// How many choices of one kind there were, and between how many things the widest was.
public struct ExplorationChoices: Sendable, Hashable {
  public internal(set) var count = 0
  public internal(set) var widest = 0
}

/// What is counted over all runs. Apart from the outcomes, so that it is one type for all of them.
struct Tally: Sendable {
  private(set) var orders: Set<OrderDigest> = []
  /// By ``ChoiceKind/index``.
  private var numbers = ChoiceKind.allCases.map { _ in ExplorationChoices() }
  /// Whether something was not tried although it could have happened.
  private(set) var wasCut = false

  var choices: [ChoiceKind: ExplorationChoices] {
    var choices: [ChoiceKind: ExplorationChoices] = [:]
    for kind in ChoiceKind.allCases where numbers[kind.index].count > 0 {
      choices[kind] = numbers[kind.index]
    }
    return choices
  }

  mutating func note(_ decisions: Decisions) {
    if decisions.isVoid { wasCut = true } else { orders.insert(decisions.order) }
    if decisions.wasCut { wasCut = true }
    for decision in decisions.taken {
      let index = decision.kind.index
      numbers[index].count += 1
      numbers[index].widest = max(numbers[index].widest, Int(decision.count))
    }
  }
}

extension Exploration: CustomStringConvertible {
  /// One line: how much was tried, and between what.
  public var description: String {
    let kinds = choices.sorted { $0.key < $1.key }.map { kind, numbers in
      "\(numbers.count) of \(kind.rawValue)s (between \(numbers.widest) at most)"
    }
    let seed = seed.map { "seed \($0), " } ?? ""
    return Self.counted(schedulesRun, "schedule") + " at width \(width), \(seed)"
      + Self.counted(ordersSeen, "order") + ", "
      + (isExhausted ? "all there are" : "not all there are") + "; "
      + Self.counted(outcomes.count, "outcome") + ", "
      + Self.counted(failures.count, "kind") + " of failure; choices: "
      + (kinds.isEmpty ? "none" : kinds.joined(separator: ", "))
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

/// Outcomes of an exploration, each with an order that comes to it.
///
/// Equality compares the outcomes alone, in any order, and works with an array literal: `result.outcomes == [1, 2]`.
public struct Outcomes<Outcome: Hashable & Sendable>: Sendable {
  private(set) var all: [(outcome: Outcome, witness: ScheduleWitness?)] = []
  private var set: Set<Outcome> = []

  init() {}

  mutating func add(_ outcome: Outcome, _ witness: ScheduleWitness?) {
    if set.insert(outcome).inserted { all.append((outcome, witness)) }
  }

  public func contains(_ outcome: Outcome) -> Bool { set.contains(outcome) }

  /// The shortest order that was found for `outcome`. Nil if no order came to it.
  public func witness(of outcome: Outcome) -> ScheduleWitness? {
    all.first { $0.outcome == outcome }?.witness
  }
}

extension Outcomes: Equatable {
  public static func == (one: Outcomes, other: Outcomes) -> Bool { one.set == other.set }
}

extension Outcomes: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Outcome...) { for element in elements { add(element, nil) } }
}

extension Outcomes: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { all.count }
  public subscript(position: Int) -> Outcome { all[position].outcome }
}

extension Outcomes: CustomStringConvertible {
  public var description: String {
    all.map { outcome, witness in
      "\(outcome)" + (witness.map { " (\($0.because))" } ?? "")
    }.joined(separator: ", ")
  }
}

/// An order that comes to some end, and how to run it again.
public struct ScheduleWitness: Sendable {
  /// How the order must differ from the one that the fake prefers. Empty if it need not.
  public let facts: [OrderingFact]
  /// How many facts there were in the order in which the end was found.
  public let factsBeforeShrinking: Int
  /// How many times the scenario was run to leave out the other facts.
  public let replays: Int
  /// The token of the order. Pass it to
  /// ``explore(_:configuration:budget:failures:replaying:regressions:fileID:filePath:line:_:)``, or set it as
  /// `TASKDISPATCH_REPLAY` in the environment.
  public let token: String
  /// What happened in it, with a column for each queue. At most 30 events: the last ones, and some about its facts.
  public let timeline: String

  var because: String {
    facts.isEmpty ? "in the preferred order" : facts.map(\.description).joined(separator: ", and ")
  }

  var report: String {
    var lines: [String] = []
    if facts.isEmpty {
      lines.append(
        "It happens in the order that the fake prefers: a test that explores nothing shows it.")
    } else {
      lines.append("It happens when")
      lines += facts.map { "  - \($0)" }
      if factsBeforeShrinking > facts.count {
        lines.append(
          "(\(facts.count) of \(factsBeforeShrinking) facts matter, as \(replays) replays showed)")
      }
    }
    lines.append("What happened:")
    lines += timeline.split(separator: "\n").map { "  \($0)" }
    lines.append("To run it again: explore(…, replaying: \"\(token)\"), or")
    lines.append("  TASKDISPATCH_REPLAY='\(token)' swift test --filter …")
    return lines.joined(separator: "\n")
  }
}

/// A run that failed: why, in which order, and how to run it again.
public struct ScheduleFailure: Error, Sendable {
  /// What was thrown, or which wait could never have ended.
  public let reason: String
  public let witness: ScheduleWitness
  /// How many schedules the exploration ran, this one included.
  public let schedulesRun: Int

  init(_ run: FailedRun, _ witness: ScheduleWitness, schedulesRun: Int) {
    reason = run.description
    self.witness = witness
    self.schedulesRun = schedulesRun
  }

  public var facts: [OrderingFact] { witness.facts }
  public var token: String { witness.token }
}

extension ScheduleFailure: CustomStringConvertible {
  public var description: String {
    """
    one of \(schedulesRun) schedules fails: \(reason)
    \(witness.report)
    """
  }
}

/// Outcomes that should not have come about, each with an order that comes to it.
public struct UnexpectedOutcomes: Error, Sendable, CustomStringConvertible {
  public let description: String

  init<Outcome>(
    _ expected: String, _ got: [(outcome: Outcome, witness: ScheduleWitness?)], of schedules: Int
  ) {
    var lines = ["expected \(expected), of \(schedules) schedules"]
    for (outcome, witness) in got {
      lines.append("got \(outcome)")
      if let witness { lines.append(witness.report) }
    }
    description = lines.joined(separator: "\n")
  }
}
