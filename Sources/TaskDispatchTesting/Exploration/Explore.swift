internal import TaskDispatch

/// Runs `scenario` again and again, each time in another order that threads could bring about, and
/// says what came of it.
///
/// ```swift
/// let result = try explore { dispatcher in
///   let model = SearchModel(dispatcher: dispatcher)
///   for query in ["s", "sw", "swift"] { dispatcher.foreground(label: query) { model.type(query) } }
///   try dispatcher.runUntilIdle()
///   return model.shown
/// }
/// #expect(result.outcomes == ["result of swift"])
/// ```
///
/// The dispatcher of each run is a new fake. Its steps that run many tasks, ``RecordingDispatcher``'s
/// `runUntilIdle()`, `advanceTime(by:)` and the like, let the strategy choose what goes next: the head
/// of the foreground, any task that a free worker could have finished first, a timer that is due, an
/// event; that the next timer fires although other work waits; whether a task had its slot when it was
/// cancelled, overtaken or shut down; and what ``RecordingDispatcher/choose(_:_:fileID:line:)`` returns.
/// A step that names its task runs that. Afterwards `finish()` is called.
///
/// A run *fails* if the scenario or `finish()` throws, if somebody would wait for ever, or if there is
/// no end to its steps. The order is then made as much like the preferred one as it can be and still
/// fails in the same way, and the error says what is left: usually one or two facts.
///
/// If a body traps, the process is gone, and with it what was found. The next exploration at the same
/// place says which schedule that was, and runs it first.
///
/// All on the calling thread, and without real time. What it does not find: data races inside bodies,
/// what locks, files and other threads do, and orders of bodies that overlap.
///
/// - Parameters:
///   - strategy: Which orders, in what sequence.
///   - configuration: Of each run's dispatcher. The width matters most. Its history is kept only where an
///     order is looked at closely: a scenario must not ask for it.
///   - budget: When to stop if the strategy has not.
///   - failures: Whether the first one ends this call by an error, or all are collected.
///   - token: A schedule that was printed: then only this one is run. The environment's
///     `TASKDISPATCH_REPLAY`, if it is set, takes its place.
///   - regressions: A file of tokens, one a line, that are run first; a path from where the test is. The
///     token of a failure that is found is added to it, so that it is looked for again each time. Lines
///     that begin with `#` are for people.
///   - scenario: Must do the same each time but for the order. It returns what the order should not
///     change, or what is to be compared.
/// - Throws: ``ScheduleFailure`` for the first failure; ``ExplorationError`` if the exploration itself means
///   nothing.
public func explore<Outcome: Hashable & Sendable>(
  _ strategy: ExplorationStrategy = .bounded(deviations: 2),
  configuration: RecordingDispatcher.Configuration = .init(),
  budget: ExplorationBudget = .init(),
  failures: FailureHandling = .thrown,
  replaying token: String? = nil, regressions: String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ scenario: (RecordingDispatcher) throws -> Outcome
) throws -> Exploration<Outcome> {
  try withoutActuallyEscaping(scenario) { scenario in
    try Explorer(
      configuration, budget, CallSite(fileID: fileID, line: line), scenario
    ).explore(strategy, failures, replaying: token, Regressions(regressions, beside: filePath))
  }
}

/// As the other, for a scenario that suspends: it runs as a Task on the foreground, and every
/// resumption of it and of the Tasks that it starts on this dispatcher is a step. Time passes when
/// nothing else can run.
public func explore<Outcome: Hashable & Sendable>(
  _ strategy: ExplorationStrategy = .bounded(deviations: 2),
  configuration: RecordingDispatcher.Configuration = .init(),
  budget: ExplorationBudget = .init(),
  failures: FailureHandling = .thrown,
  replaying token: String? = nil, regressions: String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ scenario: @escaping @Sendable (RecordingDispatcher) async throws -> Outcome
) throws -> Exploration<Outcome> {
  try Explorer(configuration, budget, CallSite(fileID: fileID, line: line)) { dispatcher in
    try dispatcher.runAsync(movingTime: true, fileID: fileID, line: line) {
      try await scenario(dispatcher)
    }
  }.explore(strategy, failures, replaying: token, Regressions(regressions, beside: filePath))
}

/// When an exploration stops although its strategy has more to try.
public struct ExplorationBudget: Sendable, Hashable {
  /// The most schedules that are run. At least 1.
  public var schedules: Int
  /// The most that are run to make one failing or remarkable order shorter. At least 1.
  public var replays: Int
  /// How often time may pass timers that were set at one place while something else could run; later
  /// ones wait until nothing else can, and then ``Exploration/isExhausted`` is false. Not negative.
  public var timersAhead: Int

  public init(schedules: Int = 10_000, replays: Int = 1_000, timersAhead: Int = 2) {
    self.schedules = schedules
    self.replays = replays
    self.timersAhead = timersAhead
  }

  func validate() {
    require(schedules >= 1, "an exploration needs a schedule (schedules: \(schedules))")
    require(replays >= 1, "a failure cannot be looked at without a replay (replays: \(replays))")
    require(timersAhead >= 0, "time cannot pass a timer \(timersAhead) times")
  }
}

/// What becomes of runs that fail.
public enum FailureHandling: Sendable, Hashable {
  /// The first ends the exploration, which throws it.
  case thrown
  /// Each kind of failure is kept in ``Exploration/failures``, and the exploration goes on.
  case collected
}

extension RecordingDispatcher {
  /// One of `values`: in an exploration each of them in some order, so that what the world may answer
  /// is tried like what may come first. Elsewhere the first.
  ///
  /// - Parameters:
  ///   - values: At least one.
  ///   - label: What reports call the choice.
  public func choose<Value>(
    _ values: [Value], _ label: String, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Value {
    require(!values.isEmpty, "\(fileID):\(line): there is nothing to choose for \"\(label)\"")
    let index = withState { state in
      state.decisions?.chooseValue(
        label, among: values.count, by: state.bodyOfThisThread, { "\(values[$0])" })
    }
    return values[index ?? 0]
  }
}

/// Runs one scenario under many plans.
final class Explorer<Outcome: Hashable & Sendable> {
  private let configuration: RecordingDispatcher.Configuration
  private let budget: ExplorationBudget
  private let site: CallSite
  private let scenario: (RecordingDispatcher) throws -> Outcome
  private let decisions = Decisions()
  /// Of the last recorded run, up to where its scenario threw; empty if it did not.
  private var timeline = ""
  /// Set by somebody who wants to see one order again.
  private static var variable: String { "TASKDISPATCH_REPLAY" }
  /// How many endings were explained. Beyond some, all that was different about an order must do.
  private var explained = 0
  private static var mostShrunk: Int { 50 }

  init(
    _ configuration: RecordingDispatcher.Configuration, _ budget: ExplorationBudget,
    _ site: CallSite, _ scenario: @escaping (RecordingDispatcher) throws -> Outcome
  ) {
    budget.validate()
    self.configuration = configuration
    self.budget = budget
    self.site = site
    self.scenario = scenario
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

    /// Whether it is what the other was, as far as a person would say so.
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

  /// As the other, with everything that can be said of it afterwards.
  private func runRecorded(_ plan: Decisions.Plan) -> (Ending, RecordingDispatcher) {
    timeline = ""
    decisions.begin(plan, names: TaskNames())
    var configuration = configuration
    configuration.recordsHistory = true
    let dispatcher = RecordingDispatcher(configuration, exploredBy: decisions)
    return (run(on: dispatcher), dispatcher)
  }

  private func run(on dispatcher: RecordingDispatcher) -> Ending {
    let result = Result { try withDispatcher(dispatcher) { try scenario(dispatcher) } }
    // What comes after a throw is the end of what was left, and says nothing.
    if decisions.names != nil, case .failure = result { timeline = dispatcher.timeline(limit: 30) }
    let ended = Result { try dispatcher.finish() }
    if let deadlock = decisions.deadlocks.first { return .failure(FailedRun(deadlock: deadlock)) }
    switch (result, ended) {
    case (.failure(let error), _), (.success, .failure(let error)):
      return .failure(FailedRun(error))
    case (.success(let outcome), .success): return .outcome(outcome)
    }
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
    try SelfCheck.passes(strategy)
    let deadly = LastSchedule.ofDeadProcess(site)
    let last = LastSchedule(of: site)
    if let deadly { runAgain(deadly, last) }
    last.begin(.exact([]))
    try checkThatItIsTheSame(.exact([]))
    var result = Exploration<Outcome>(strategy: strategy, width: configuration.width)
    var found: [Found] = []
    for regression in try regressions?.all() ?? [] {
      last.begin(regression.token.plan)
      let (ending, _) = runRecorded(regression.token.plan)
      result.schedulesRun += 1
      if case .facts(let facts) = regression.token {
        try checkThatItMeansSomething(facts, decisions.names!, regression.description)
      }
      result.note(decisions)
      note(ending, in: &found)
    }
    let known = found.count
    searching: for var search in strategy.searches {
      while result.schedulesRun < budget.schedules, let plan = search.next() {
        if failures == .thrown, !failureIndices.isEmpty { break searching }
        last.begin(plan)
        let ending = run(plan)
        result.schedulesRun += 1
        if let mismatch = decisions.mismatch {
          throw ExplorationError.hiddenNondeterminism(describe(mismatch, found.first))
        }
        result.note(decisions)
        search.ran(decisions.taken, steps: decisions.steps)
        if decisions.isVoid { continue }
        note(ending, in: &found)
      }
      if search.hasTriedEverything, !result.wasCut { result.isExhausted = true }
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

  /// An ending, and the schedule with the fewest unusual choices that came to it.
  private struct Found {
    let ending: Ending
    var taken: [Decision]
    var deviations: Int
  }

  /// Runs the schedule in which another process has died: it may be this one's end as well, and then
  /// at least it has been said.
  private func runAgain(_ token: String, _ last: LastSchedule) {
    printError(
      "\(site): the last process that explored this died in a schedule, which is run first now. To run "
        + "it alone: TASKDISPATCH_REPLAY='\(token)'")
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

  // MARK: Saying why

  /// Runs the schedule once more to learn what is different about it, and leaves out what does not
  /// matter.
  private func explain(_ found: Found) throws(ExplorationError) -> Explained {
    let (ending, dispatcher) = runRecorded(.exact(found.taken.map(\.chosen)))
    let facts = decisions.names!.facts
    let exact = ScheduleToken.exact(found.taken)
    guard ending == found.ending else {
      throw .hiddenNondeterminism(
        "the same choices (\(exact.text)) once ended with \(found.ending.text), and then with "
          + ending.text)
    }
    let mayShrink = explained < Self.mostShrunk
    explained += 1
    guard mayShrink else {
      return Explained(
        ending: ending, facts: facts, allFacts: facts.count, token: exact.text,
        timeline: lastEvents(of: dispatcher), replays: 1)
    }
    var shrinking = Shrinking(budget: budget.replays) { facts in
      self.runRecorded(.facts(FactIndex(facts))).0 == ending
    }
    guard let shrunk = shrinking.shrink(facts) else {
      // Facts alone do not bring it about again: only the very same choices do.
      return Explained(
        ending: ending, facts: facts, allFacts: facts.count, token: exact.text,
        timeline: lastEvents(of: dispatcher), replays: shrinking.runs)
    }
    let (_, last) = runRecorded(.facts(FactIndex(shrunk)))
    return Explained(
      ending: ending, facts: shrunk, allFacts: facts.count,
      token: ScheduleToken.facts(shrunk).text, timeline: lastEvents(of: last),
      replays: shrinking.runs)
  }

  private func lastEvents(of dispatcher: RecordingDispatcher) -> String {
    timeline.isEmpty ? dispatcher.timeline(limit: 30) : timeline
  }

  struct Explained {
    let ending: Ending
    let facts: [OrderingFact]
    let allFacts: Int
    let token: String
    let timeline: String
    let replays: Int

    var witness: ScheduleWitness {
      ScheduleWitness(
        facts: facts, factsBeforeShrinking: allFacts, replays: replays, token: token,
        timeline: timeline)
    }
  }

  // MARK: Replaying

  private func replay(
    _ text: String, _ strategy: ExplorationStrategy, _ failures: FailureHandling
  ) throws -> Exploration<Outcome> {
    let token = try ScheduleToken(text)
    let (ending, dispatcher) = runRecorded(token.plan)
    var result = Exploration<Outcome>(strategy: strategy, width: configuration.width)
    result.schedulesRun = 1
    result.isReplay = true
    result.note(decisions)
    let names = decisions.names!
    var facts = names.facts
    if case .facts(let wanted) = token {
      facts = wanted
      try checkThatItMeansSomething(wanted, names, text)
    } else if let mismatch = decisions.mismatch {
      throw ExplorationError.diverged(
        token: text, unknown: ["choice number \(mismatch.position + 1) of that many"], similar: [])
    }
    result.add(
      Explained(
        ending: ending, facts: facts, allFacts: facts.count, token: text,
        timeline: lastEvents(of: dispatcher), replays: 1))
    if failures == .thrown, let failure = result.failures.first { throw failure }
    return result
  }

  /// A fact about a task that never was has had no effect, and the run says nothing.
  private func checkThatItMeansSomething(
    _ facts: [OrderingFact], _ names: TaskNames, _ token: String
  ) throws(ExplorationError) {
    // A time that did not come, or fewer of a name, may be what the order brings about.
    let known = Set(names.all.map(\.unmarked))
    let unknown = Set(facts.flatMap(\.paths)).filter { !known.contains($0.unmarked) }
    guard !unknown.isEmpty else { return }
    let others = names.all.map(\.description)
    throw .diverged(
      token: token, unknown: unknown.map(\.description).sorted(),
      similar: Array(
        Set(unknown.flatMap { nearMisses(of: $0.description, in: others) }).sorted().prefix(3)))
  }

  // MARK: Whether it can be relied on

  private func checkThatItIsTheSame(_ plan: Decisions.Plan) throws(ExplorationError) {
    let first = story(plan)
    let second = story(plan)
    guard first != second else { return }
    let index = zip(first, second).prefix { $0 == $1 }.count
    func part(_ story: [String]) -> String {
      index < story.count ? story[index] : "nothing more"
    }
    throw .hiddenNondeterminism(
      "of two runs in the same order, event \(index + 1) was once \(part(first)), and then "
        + part(second))
  }

  private func story(_ plan: Decisions.Plan) -> [String] {
    let (ending, dispatcher) = runRecorded(plan)
    let names = decisions.names!
    let events = dispatcher.history.map { event in
      "\(event.kind.word) \(names.path(of: event.task.id)) at \(event.time)"
    }
    return events + [ending.text]
  }

  private func describe(_ mismatch: Decisions.Mismatch, _ first: Found?) -> String {
    "choice number \(mismatch.position + 1) was between \(mismatch.found), and between "
      + "\(mismatch.expected) when the same choices had been made before"
  }
}

extension TaskEvent.Kind {
  /// Without what may differ between two runs that are the same, such as the address in an error.
  fileprivate var word: String {
    let text = "\(self)"
    return String(text.prefix { $0 != "(" })
  }
}

extension ExplorationBudget {
  /// For the built-in scenario.
  static var probe: ExplorationBudget { ExplorationBudget(schedules: 64, replays: 1) }
}
