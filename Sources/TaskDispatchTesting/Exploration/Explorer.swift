internal import TaskDispatch

/// Runs one scenario under many plans.
final class Explorer<Outcome: Hashable & Sendable> {
  let configuration: RecordingDispatcher.Configuration
  let budget: ExplorationBudget
  private let site: CallSite
  private let scenario: (RecordingDispatcher) throws -> Outcome
  let decisions: Decisions
  private let isReduced: Bool
  /// How many events of the last recorded run had happened when its scenario threw. Nil if it did not throw.
  private(set) var eventsBeforeThrow: Int?
  /// The variable of the environment that names a schedule to be run again.
  private static var variable: String { "TASKDISPATCH_REPLAY" }
  /// How many endings have been explained. After ``mostShrunk`` of them, all facts of an order are reported, unshrunk.
  var explained = 0
  static var mostShrunk: Int { 50 }

  init(
    _ configuration: RecordingDispatcher.Configuration, _ budget: ExplorationBudget,
    _ site: CallSite, resources: ((TaskRecord) -> Set<String>?)? = nil,
    _ scenario: @escaping (RecordingDispatcher) throws -> Outcome
  ) {
    budget.validate()
    self.configuration = configuration
    self.budget = budget
    self.site = site
    self.scenario = scenario
    isReduced = resources != nil
    decisions = Decisions(resources.map(Reduction.init))
    decisions.timersAhead = budget.timersAhead
  }

  /// How a run ended.
  enum Ending: Equatable {
    case outcome(Outcome)
    case failure(FailedRun)

    var text: String {
      switch self {
      case .outcome(let outcome): "the outcome \(outcome)"
      case .failure(let failure): failure.signature
      }
    }

    /// Whether a person would call the two endings the same. Failures are compared by their signatures.
    static func == (one: Ending, other: Ending) -> Bool {
      switch (one, other) {
      case (.outcome(let one), .outcome(let other)): one == other
      case (.failure(let one), .failure(let other)): one.signature == other.signature
      default: false
      }
    }
  }

  // MARK: One run

  private func run(_ plan: Decisions.Plan) -> Ending {
    decisions.begin(plan, names: nil)
    var configuration = configuration
    configuration.recordsHistory = false
    return run(on: RecordingDispatcher(configuration, exploredBy: decisions))
  }

  /// Runs a plan, and records names and history for what is said about the run afterwards.
  func runRecorded(_ plan: Decisions.Plan) -> (Ending, RecordingDispatcher) {
    eventsBeforeThrow = nil
    decisions.begin(plan, names: TaskNames())
    var configuration = configuration
    configuration.recordsHistory = true
    let dispatcher = RecordingDispatcher(configuration, exploredBy: decisions)
    return (run(on: dispatcher), dispatcher)
  }

  private func run(on dispatcher: RecordingDispatcher) -> Ending {
    var ending: Ending
    do { ending = .outcome(try withDispatcher(dispatcher) { try scenario(dispatcher) }) } catch {
      // The events after a throw come from the cleaning up, and say nothing.
      if decisions.names != nil { eventsBeforeThrow = dispatcher.history.count }
      ending = .failure(FailedRun(error))
    }
    do throws(FinishError) { try dispatcher.finish() } catch {
      if case .outcome = ending { ending = .failure(FailedRun(error)) }
    }
    // The next run needs the decisions, and a leftover Task may still submit to this dispatcher.
    dispatcher.leaveExploration()
    if let deadlock = decisions.deadlock { return .failure(FailedRun(deadlock: deadlock)) }
    return ending
  }

  // MARK: All of them

  func explore(
    _ strategy: ExplorationStrategy, _ failures: FailureHandling, replaying token: String?,
    _ regressions: Regressions?
  ) throws -> Exploration<Outcome> {
    strategy.validate()
    if let token = environment(Self.variable) {
      do { return try replay(token, strategy, failures) } catch let error as ExplorationError {
        throw error.from(Self.variable)
      }
    }
    if let token { return try replay(token, strategy, failures) }
    try SelfCheck.passes(strategy, isReduced: isReduced)
    let deadly = LastSchedule.ofDeadProcess(site)
    let last = LastSchedule(of: site)
    if let deadly { runAgain(deadly, last) }
    last.begin(.exact([]))
    try checkThatItIsTheSame()
    var result = Exploration<Outcome>(
      strategy: strategy, width: configuration.width, regressions: regressions)
    var found: [Found] = []
    for regression in try regressions?.all() ?? [] {
      try runAgain(regression, last, &result, &found)
    }
    let known = found.count
    for var search in strategy.searches(isReduced: isReduced) {
      try self.search(&search, failures, last, &result, &found)
    }
    for (index, found) in found.enumerated() {
      let explained = try explain(found)
      result.add(explained)
      if index >= known, case .failure(let failure) = explained.ending {
        regressions?.add(explained.token, failure.description)
      }
    }
    if failures == .thrown, let failure = result.failures.first { throw failure }
    return result
  }

  private func runAgain(
    _ regression: Regressions.Regression, _ last: LastSchedule,
    _ result: inout Exploration<Outcome>, _ found: inout [Found]
  ) throws(ExplorationError) {
    last.begin(regression.token.plan)
    let (ending, _) = runRecorded(regression.token.plan)
    result.schedulesRun += 1
    if case .facts(let facts) = regression.token {
      try checkThatItMeansSomething(facts, decisions.names!, regression.description)
    }
    result.tally.note(decisions)
    note(ending, in: &found)
  }

  /// Runs the schedules that `search` names, until it has no more, the budget is spent, or a failure is to be thrown.
  private func search(
    _ search: inout any ScheduleSearch, _ failures: FailureHandling, _ last: LastSchedule,
    _ result: inout Exploration<Outcome>, _ found: inout [Found]
  ) throws(ExplorationError) {
    /// Endings of redundant schedules. If the declarations are true, they come about in other schedules as well.
    var foretold: [(ending: Ending, taken: [Decision])] = []
    while result.schedulesRun < budget.schedules, let plan = search.next() {
      if failures == .thrown, !failureIndices.isEmpty { return }
      last.begin(plan)
      let ending = run(plan)
      result.schedulesRun += 1
      if let mismatch = decisions.mismatch { throw .hiddenNondeterminism(describe(mismatch)) }
      result.tally.note(decisions)
      search.ran(decisions)
      if decisions.isVoid { continue }
      if decisions.reduction?.knownFrom == nil {
        note(ending, in: &found)
      } else if !foretold.contains(where: { $0.ending == ending }) {
        foretold.append((ending, decisions.taken))
      }
    }
    guard search.hasTriedEverything else { return }
    try checkThatAreKnown(foretold)
    if !result.tally.wasCut { result.isExhausted = true }
  }

  /// An ending, and the schedule with the fewest deviating choices that came to it.
  struct Found {
    let ending: Ending
    var taken: [Decision]
    var deviations: Int
  }

  /// Runs the schedule in which another process has died. It may end this process too, so a message is printed first.
  private func runAgain(_ token: String, _ last: LastSchedule) {
    printError(
      "\(site): the last process that explored this died, perhaps of this schedule, which is run "
        + "first now. To run it alone: TASKDISPATCH_REPLAY='\(token)'")
    guard let plan = try? ScheduleToken(token).plan else { return }
    last.begin(plan)
    _ = runRecorded(plan)
  }

  private func note(_ ending: Ending, in found: inout [Found]) {
    let deviations = decisions.taken.count { $0.chosen != 0 }
    guard let index = index(of: ending, in: found) else {
      found.append(
        Found(
          ending: ending, taken: decisions.taken, deviations: deviations))
      return
    }
    if deviations < found[index].deviations {
      found[index].taken = decisions.taken
      found[index].deviations = deviations
    }
  }

  private func checkThatAreKnown(
    _ foretold: [(ending: Ending, taken: [Decision])]
  ) throws(ExplorationError) {
    for (ending, taken) in foretold {
      let isKnown =
        switch ending {
        case .outcome(let outcome): indices[outcome] != nil
        case .failure(let failure): failureIndices[failure.signature] != nil
        }
      guard isKnown else {
        throw .undeclaredResource(ending.text, token: ScheduleToken.exact(taken).text)
      }
    }
  }

  private var indices: [Outcome: Int] = [:]
  private var failureIndices: [String: Int] = [:]

  private func index(of ending: Ending, in found: [Found]) -> Int? {
    switch ending {
    case .outcome(let outcome):
      if let known = indices[outcome] { return known }
      indices[outcome] = found.count
    case .failure(let failure):
      if let known = failureIndices[failure.signature] { return known }
      failureIndices[failure.signature] = found.count
    }
    return nil
  }
}
