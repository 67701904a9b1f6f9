import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

/// Every strategy that there is.
private let strategies: [ExplorationStrategy] = [
  .bounded(deviations: 2), .exhaustive, .random(seed: 9, schedules: 64),
  .prioritized(depth: 3, seed: 9, schedules: 64),
  .portfolio([.bounded(deviations: 1), .random(seed: 3, schedules: 32)]),
]

/// Tasks on the background that note their names.
private func tasks(_ names: [String]) -> (RecordingDispatcher) throws -> [String] {
  { dispatcher in
    let log = Log()
    for name in names { dispatcher.background.async(label: name) { log.note(name) } }
    try dispatcher.runUntilIdle()
    return log.all
  }
}

@Suite("A strategy of exploring")
struct StrategyTests {
  // MARK: Which orders

  /// Three tasks and three workers: a choice between 3 and then one between 2. So there are 1, 3 and 2
  /// schedules with exactly 0, 1 and 2 deviations.
  @Test("tries orders by how many choices differ", arguments: [(0, 1), (1, 4), (2, 6), (3, 6)])
  func bounded(deviations: Int, count: Int) throws {
    let seen = Locked<[Int]>([])
    let result = try explore(.bounded(deviations: deviations)) { dispatcher in
      let order = try tasks(["a", "b", "c"])(dispatcher)
      // Of three, the first choice is 0 if it takes a. Of two, the second choice is 0 if it takes the earlier
      // task; but if a was put off for b, a comes last.
      let second = order[0] == "b" ? "c" : ["a", "b"].first { $0 != order[0] }
      seen.withLock { $0.append((order[0] == "a" ? 0 : 1) + (order[1] == second ? 0 : 1)) }
      return order
    }

    #expect(result.schedulesRun == count)
    #expect(result.ordersSeen == count)
    #expect(result.isExhausted == (deviations >= 2))
    // The first two runs check that the scenario is the same each time. Runs that explain a failure come last.
    let searched = Array(seen.withLock { $0 }.dropFirst(2).prefix(count))
    #expect(searched == searched.sorted())
    #expect(searched.last == min(deviations, 2))
  }

  @Test("says in a line what it has tried")
  func line() throws {
    let one = try explore { try tasks(["a"])($0) }
    let three = try explore { try tasks(["a", "b", "c"])($0) }

    #expect(
      "\(one)" == "1 schedule at width 3, 1 order, all there are; 1 outcome, 0 kinds of failure; "
        + "choices: none")
    #expect(
      "\(three)" == "6 schedules at width 3, 6 orders, all there are; 6 outcomes, 0 kinds of "
        + "failure; choices: 12 of moves (between 3 at most)")
  }

  @Test(
    "tries the same orders again for the same seed, and others for another",
    arguments: [UInt64(1), 2, 77])
  func seeds(seed: UInt64) throws {
    func orders(_ strategy: ExplorationStrategy) throws -> [[String]] {
      let seen = Locked<[[String]]>([])
      _ = try explore(strategy) { dispatcher in
        let order = try tasks(["a", "b", "c", "d", "e"])(dispatcher)
        seen.withLock { $0.append(order) }
        return 0
      }
      return Array(seen.withLock { $0 }.dropFirst(2).prefix(30))
    }
    for make in [
      { ExplorationStrategy.random(seed: $0, schedules: 30) },
      { ExplorationStrategy.prioritized(depth: 3, seed: $0, schedules: 30) },
    ] as [(UInt64) -> ExplorationStrategy] {
      // If a test process was killed here, its last schedule is run once before all others. This run takes it.
      _ = try orders(make(seed))
      let first = try orders(make(seed))
      #expect(try orders(make(seed)) == first)
      #expect(try orders(make(seed + 1)) != first)
      #expect(Set(first).count > 5)
    }
  }

  @Test("prefers the order in which a test that explores nothing runs", arguments: 0..<40)
  func prefersTheSame(seed: Int) throws {
    let program = SmallProgram(seed: seed)
    let dispatcher = RecordingDispatcher(.init(width: program.width, thrownErrors: .ignore))
    let plain = try program.run(on: dispatcher)
    try dispatcher.finish()

    let explored = try explore(
      configuration: .init(width: program.width, thrownErrors: .ignore), replaying: "facts1:"
    ) { try program.run(on: $0) }

    #expect(explored.outcomes == [plain])
  }

  @Test("says the seed that it went by, and that there was none")
  func saysSeed() throws {
    for (strategy, seed) in [
      (ExplorationStrategy.random(seed: 7, schedules: 3), 7 as UInt64?),
      (.prioritized(depth: 2, seed: 8, schedules: 3), 8), (.exhaustive, nil),
      (.portfolio([.bounded(deviations: 1), .random(seed: 9, schedules: 3)]), 9),
    ] {
      let result = try explore(strategy) { _ in 0 }
      #expect(result.seed == seed)
      #expect("\(result)".contains("seed") == (seed != nil))
    }
  }

  /// Two chains of two steps. Without a change of priority, the chain that goes first runs to its end. With one
  /// change, it falls behind once. With two, both do.
  @Test(
    "finds orders of so many orderings by priorities, and no others",
    arguments: [
      (1, ["wwll", "llww"]), (2, ["wwll", "llww", "wllw", "lwwl"]),
      (3, ["wwll", "llww", "wllw", "lwwl", "wlwl", "lwlw"]),
    ])
  func depths(depth: Int, orders: [String]) throws {
    let result = try explore(
      .prioritized(depth: depth, seed: 11, schedules: 300), configuration: .init(width: 2)
    ) { dispatcher -> String in
      let log = Log()
      for name in ["w", "l"] {
        dispatcher.background.async(label: name) {
          log.note(name)
          dispatcher.background.async(label: name) { log.note(name) }
        }
      }
      try dispatcher.runUntilIdle()
      return log.all.joined()
    }
    #expect(Set(result.outcomes) == Set(orders))
  }

  @Test("goes on with the next one of a portfolio, and stops at what was asked for in all")
  func portfolio() throws {
    let parts: [ExplorationStrategy] = [.bounded(deviations: 1), .random(seed: 2, schedules: 10)]
    let both = try explore(.portfolio(parts), tasks(["a", "b", "c"]))
    #expect(both.schedulesRun == 4 + 10)
    #expect(!both.isExhausted)

    let cut = try explore(.portfolio(parts), budget: .init(schedules: 6), tasks(["a", "b", "c"]))
    #expect(cut.schedulesRun == 6)

    let whole = try explore(.portfolio(parts + [.exhaustive]), tasks(["a", "b", "c"]))
    #expect(whole.schedulesRun == 4 + 10 + 6)
    #expect(whole.isExhausted)
  }

  // MARK: Whether it was all

  @Test("says that it was all only if it was", arguments: [(5, false), (6, true), (7, true)])
  func budget(schedules: Int, isAll: Bool) throws {
    for strategy in [ExplorationStrategy.exhaustive, .bounded(deviations: 2)] {
      let result = try explore(
        strategy, budget: .init(schedules: schedules), tasks(["a", "b", "c"]))
      #expect(result.schedulesRun == min(schedules, 6))
      #expect(result.isExhausted == isAll)
    }
  }

  @Test("does not say that it was all after random orders, however many")
  func randomIsNeverAll() throws {
    for strategy in [
      ExplorationStrategy.random(seed: 1, schedules: 100),
      .prioritized(depth: 2, seed: 1, schedules: 100),
    ] {
      let result = try explore(strategy, tasks(["a", "b"]))
      #expect(result.ordersSeen == 2)
      #expect(result.schedulesRun == 100)
      #expect(!result.isExhausted)
    }
  }

  @Test("says that it was all if there is nothing to choose")
  func nothingToChoose() throws {
    for deviations in 0...1 {
      let result = try explore(.bounded(deviations: deviations), tasks(["a"]))
      #expect(result.isExhausted)
      #expect(result.schedulesRun == 1)
    }
  }

  /// A repeating timer could fire ahead of work for ever.
  @Test("does not say that it was all if a timer could have passed work once more")
  func timersAhead() throws {
    for ahead in 0...3 {
      let most = Locked(0)
      let result = try explore(.exhaustive, budget: .init(timersAhead: ahead)) { dispatcher in
        let ticks = Locked(0)
        let timer = dispatcher.foreground.every(.seconds(1), label: "tick") {
          ticks.withLock { $0 += 1 }
        }
        dispatcher.background.async(label: "work") { timer.cancel() }
        try dispatcher.runUntilIdle()
        most.withLock { most in most = max(most, ticks.withLock { $0 }) }
        return 0
      }
      #expect(most.withLock { $0 } == ahead)
      #expect(!result.isExhausted)
    }
  }

  // MARK: What is chosen between

  @Test("counts what it chose between, by kind")
  func kinds() throws {
    let result = try explore(.exhaustive) { dispatcher -> Int in
      let handle = dispatcher.background.submit(label: "a") {}
      dispatcher.background.async(label: "b") {}
      let answer = handle.cancel()
      let value = dispatcher.choose([10, 20, 30], "value")
      try dispatcher.runUntilIdle()
      return value + (answer == .beforeStart ? 0 : 1)
    }

    #expect(result.outcomes == [10, 11, 20, 21, 30, 31])
    #expect(Set(result.choices.keys) == [.move, .start, .value])
    #expect(result.choices[.value]?.widest == 3)
    #expect(result.choices[.start]?.widest == 2)
    #expect(result.choices[.move]?.widest == 2)
    // Cancelled before its start, b is alone: 3 schedules. Otherwise both orders of the two: 6.
    #expect(result.schedulesRun == 9)
    #expect(result.isExhausted)
    #expect(result.width == 3)
    #expect(result.strategy == .exhaustive)
  }

  @Test("tries both answers of a cancellation, and the body runs after one of them")
  func cancelling() throws {
    let result = try explore(.exhaustive) { dispatcher -> [String] in
      let log = Log()
      let handle = dispatcher.background.submit(label: "work") { log.note("ran") }
      dispatcher.foreground.async(label: "cancel") { log.note("\(handle.cancel())") }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(result.outcomes == [["beforeStart"], ["requested", "ran"], ["ran", "tooLate"]])
    #expect(result.isExhausted)
    let witness = try #require(result.outcomes.witness(of: ["requested", "ran"]))
    #expect(
      witness.facts.contains {
        "\($0)" == #""work" has taken its slot before the cancel of "work""#
      }, "\(witness.facts)")
  }

  @Test("tries what had started when a queue was suspended")
  func suspending() throws {
    let result = try explore(.exhaustive, configuration: .init(leftovers: .ignore)) {
      dispatcher -> [String] in
      let log = Log()
      let queue = dispatcher.makeQueue(label: "queue", width: 2)
      for name in ["a", "b", "c"] { queue.async(label: name) { log.note(name) } }
      queue.suspend()
      try dispatcher.runUntilIdle()
      return log.all.sorted()
    }

    #expect(result.outcomes == [[], ["a"], ["a", "b"]])
    #expect(result.isExhausted)
  }

  @Test("tries what had started when it would have expired")
  func expiring() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 1)) {
      dispatcher -> [String] in
      let log = Log()
      dispatcher.background.async(label: "a", timeToLive: .seconds(1)) { log.note("a") }
      dispatcher.background.async(label: "b", timeToLive: .seconds(1)) { log.note("b") }
      try dispatcher.skipTime(by: .seconds(2))
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(result.outcomes == [[], ["a"]])
    #expect(result.isExhausted)
  }

  @Test("tries what had started when a shutdown skipped the rest")
  func shuttingDown() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 2)) {
      dispatcher -> [String] in
      let log = Log()
      for name in ["a", "b", "c"] {
        dispatcher.background.async(label: name, atShutdown: .skip) { log.note(name) }
      }
      dispatcher.beginShutdown()
      try dispatcher.runUntilIdle()
      return log.all.sorted()
    }

    // A task that has started and not ended by the deadlines is abandoned: a, if b went first.
    #expect(result.outcomes == [[], ["a"], ["a", "b"], ["b"]])
    #expect(result.isExhausted)
  }

  @Test("tries whether a low task had started when a high one came")
  func overtaking() throws {
    let result = try explore(.exhaustive, configuration: .init(width: 1)) {
      dispatcher -> [String] in
      let log = Log()
      dispatcher.background.async(priority: .low, label: "low") { log.note("low") }
      dispatcher.background.async(priority: .high, label: "high") { log.note("high") }
      try dispatcher.runUntilIdle()
      return log.all
    }

    #expect(result.outcomes == [["high", "low"], ["low", "high"]])
    #expect(result.choices[.start]?.count == 2)
  }

  @Test("gives the first value outside an exploration")
  func choosingAlone() {
    #expect(RecordingDispatcher().choose([3, 2, 1], "value") == 3)
  }

  @Test("tries every end of a continuation that another Task resumes")
  func asynchronous() throws {
    let result = try explore(.exhaustive) { dispatcher async in
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for name in ["a", "b", "c"] {
          group.addTask(executorPreference: dispatcher.background.executor) { log.note(name) }
        }
      }
      return log.all
    }

    #expect(result.outcomes.count == 6)
    #expect(result.isExhausted)
  }

  // MARK: Whether it sees anything

  @Test("finds the built-in race", arguments: strategies)
  func selfCheck(strategy: ExplorationStrategy) {
    for probe in strategy.probing { #expect(SelfCheck.finds(probe), "\(probe)") }
  }

  @Test("does not find the built-in race if it never branches")
  func blind() {
    #expect(!SelfCheck.finds(.bounded(deviations: 0)))
    #expect(!SelfCheck.finds(.random(seed: 1, schedules: 1)))
    #expect(!SelfCheck.finds(.prioritized(depth: 1, seed: 1, schedules: 1)))
  }

  @Test("finds the lost update", arguments: strategies)
  func lostUpdate(strategy: ExplorationStrategy) throws {
    let result = try explore(strategy) { dispatcher -> Int in
      let sum = Locked(0)
      for _ in 0..<2 {
        dispatcher.background {
          let read = sum.withLock { $0 }
          dispatcher.background { sum.withLock { $0 = read + 1 } }
        }
      }
      try dispatcher.runUntilIdle()
      return sum.withLock { $0 }
    }
    #expect(result.outcomes == [1, 2])
  }
}
