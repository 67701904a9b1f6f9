public import TaskDispatch

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
///     token of a failure that is found is added to it, so that it is looked for again each time; so is
///     that of an outcome that ``Exploration/requireOutcomes(_:)`` and its like did not want. Lines that
///     begin with `#` are for people.
///   - resources: For `.exhaustive` only: what tasks touch. Of orders that differ only in which of two
///     tasks came first that have nothing in common, one is tried.
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
  resources: DeclaredResources? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  _ scenario: (RecordingDispatcher) throws -> Outcome
) throws -> Exploration<Outcome> {
  try withoutActuallyEscaping(scenario) { scenario in
    let site = CallSite(fileID: fileID, line: line)
    require(
      resources == nil || strategy == .exhaustive,
      "\(site): resources are for .exhaustive; \(strategy) bounds orders in another way")
    return try Explorer(configuration, budget, site, resources: resources?.ofTask, scenario)
      .explore(
        strategy, failures, replaying: token, Regressions(regressions, beside: filePath))
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

/// ``explore(_:configuration:budget:failures:replaying:regressions:resources:fileID:filePath:line:_:)`` of a function
/// that has a name: `explore(scenario)`.
@_disfavoredOverload
public func explore<Outcome: Hashable & Sendable>(
  _ scenario: (RecordingDispatcher) throws -> Outcome,
  strategy: ExplorationStrategy = .bounded(deviations: 2),
  configuration: RecordingDispatcher.Configuration = .init(),
  budget: ExplorationBudget = .init(),
  failures: FailureHandling = .thrown,
  replaying token: String? = nil, regressions: String? = nil,
  resources: DeclaredResources? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
) throws -> Exploration<Outcome> {
  try explore(
    strategy, configuration: configuration, budget: budget, failures: failures, replaying: token,
    regressions: regressions, resources: resources, fileID: fileID, filePath: filePath, line: line,
    scenario)
}

/// The same of one that suspends.
@_disfavoredOverload
public func explore<Outcome: Hashable & Sendable>(
  _ scenario: @escaping @Sendable (RecordingDispatcher) async throws -> Outcome,
  strategy: ExplorationStrategy = .bounded(deviations: 2),
  configuration: RecordingDispatcher.Configuration = .init(),
  budget: ExplorationBudget = .init(),
  failures: FailureHandling = .thrown,
  replaying token: String? = nil, regressions: String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
) throws -> Exploration<Outcome> {
  try explore(
    strategy, configuration: configuration, budget: budget, failures: failures, replaying: token,
    regressions: regressions, fileID: fileID, filePath: filePath, line: line, scenario)
}

/// What each task of a scenario touches, beside its dispatcher, that others touch too.
///
/// What is not true here hides orders.
public struct DeclaredResources {
  let ofTask: (TaskRecord) -> Set<String>?

  /// - Parameter ofTask: The names of what the task touches; nil if it may touch anything.
  public init(_ ofTask: @escaping (TaskRecord) -> Set<String>?) { self.ofTask = ofTask }
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
