internal import TaskDispatch

/// What an exploration has found.
public struct Exploration<Outcome: Hashable & Sendable>: Sendable {
  /// What the scenario returned, in any order that was tried.
  public private(set) var outcomes = Outcomes<Outcome>()
  /// One of each kind of run that failed. Empty if failures are thrown.
  public private(set) var failures: [ScheduleFailure] = []
  /// How many schedules were run. Two may be the same order: a choice may turn out to mean nothing.
  public internal(set) var schedulesRun = 0
  /// How many orders of bodies, events and answers of calls there were among them.
  public var ordersSeen: Int { tally.orders.count }
  /// Whether every order was tried that the calls of the scenario allow: false if a bound has left one out, or the
  /// budget, be it of schedules or ``ExplorationBudget/timersAhead``.
  ///
  /// What one call runs is over before the next moves time: a scenario that moves it in two calls has fewer orders
  /// than one that moves it in one.
  public internal(set) var isExhausted = false
  /// What was chosen between.
  public var choices: [ChoiceKind: ExplorationChoices] { tally.choices }
  public let strategy: ExplorationStrategy
  /// What the strategy's chances came from; nil if it left nothing to chance. Of a portfolio the first.
  public var seed: UInt64? { strategy.seed }
  /// How many background tasks were started at a time, at most.
  public let width: Int
  /// One schedule was run, which somebody has named.
  public internal(set) var isReplay = false
  var tally = Tally()
  /// Where orders are kept that came to what nobody wanted.
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

  /// Throws unless each of `expected` came about in some order, and nothing else did. In a replay, which
  /// is one order, only for something else.
  public func requireOutcomes(_ expected: Set<Outcome>) throws(UnexpectedOutcomes) {
    let missing = isReplay ? [] : expected.filter { !outcomes.contains($0) }
    let others = outcomes.all.filter { !expected.contains($0.outcome) }
    guard !missing.isEmpty || !others.isEmpty else { return }
    let never = missing.map { "\($0)" }.sorted().joined(separator: ", ")
    throw unexpected(
      "\(expected)" + (missing.isEmpty ? "" : ", and never saw \(never)"), others)
  }

  /// Throws if some order came to an outcome that `isForbidden`.
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
      // The preferred order is run in any case.
      if let witness, !witness.facts.isEmpty { regressions?.add(witness.token, "\(outcome)") }
    }
    return UnexpectedOutcomes(expected, got, of: schedulesRun)
  }
}

/// How often there was something to choose of one kind, and between how many things at most.
public struct ExplorationChoices: Sendable, Hashable {
  public internal(set) var count = 0
  public internal(set) var widest = 0
}

/// What is counted of every run. Apart from the outcomes, so that it is the same type for all of them.
struct Tally: Sendable {
  private(set) var orders: Set<OrderDigest> = []
  /// By the place of the kind.
  private var numbers = ChoiceKind.allCases.map { _ in ExplorationChoices() }
  /// Something was not tried although it could have happened.
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
/// Compared by the outcomes alone, with an array of them too: `result.outcomes == [1, 2]`.
public struct Outcomes<Outcome: Hashable & Sendable>: Sendable {
  private(set) var all: [(outcome: Outcome, witness: ScheduleWitness?)] = []
  private var set: Set<Outcome> = []

  init() {}

  mutating func add(_ outcome: Outcome, _ witness: ScheduleWitness?) {
    if set.insert(outcome).inserted { all.append((outcome, witness)) }
  }

  public func contains(_ outcome: Outcome) -> Bool { set.contains(outcome) }

  /// How to come to `outcome`: as short as was found. Nil if nothing came to it.
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

/// An order that comes to some end, and how to bring it about again.
public struct ScheduleWitness: Sendable {
  /// What must be different from the order that the fake prefers; empty if nothing must.
  public let facts: [OrderingFact]
  /// How many there were in the order in which it was found.
  public let factsBeforeShrinking: Int
  /// How many times the scenario was run to leave out the others.
  public let replays: Int
  /// For ``explore(_:configuration:budget:failures:replaying:regressions:fileID:filePath:line:_:)``, or the environment's
  /// `TASKDISPATCH_REPLAY`.
  public let token: String
  /// What happened in it, a column for each queue: at most the last 30 events.
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

/// A run that failed: why, in which order, and how to see it again.
public struct ScheduleFailure: Error, Sendable {
  /// What was thrown, or what nobody would ever have come out of.
  public let reason: String
  public let witness: ScheduleWitness
  /// How many schedules were run before this was known, this one included.
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
