public import TaskDispatch

/// Runs `scenario` many times, each time in another order that threads could bring about, and reports what came of it.
///
/// ```swift
/// let result = try explore { dispatcher in
///   let model = SearchModel(dispatcher: dispatcher)
///   for query in ["s", "sw", "swift"] { dispatcher.foreground.async(label: query) { model.type(query) } }
///   try dispatcher.runUntilIdle()
///   return model.shown
/// }
/// #expect(result.outcomes == ["result of swift"])
/// ```
///
/// The dispatcher of each run is a new fake. Afterwards `finish()` is called on it. The strategy decides in the steps
/// that run many tasks: ``RecordingDispatcher``'s `runUntilIdle()`, `advanceTime(by:)` and the like. A step that names
/// its task runs that task. The strategy chooses
///
/// - what goes next: the head of the foreground, any task that a free worker could have finished first, a timer that is
///   due, or an event;
/// - whether the next timer fires although other work waits;
/// - whether a task had its slot when it was cancelled, overtaken or shut down;
/// - what ``RecordingDispatcher/choose(_:_:fileID:line:)`` returns.
///
/// A run *fails* if the scenario or `finish()` throws, if a wait could never end, or if its steps do not end. The
/// exploration then makes the order as much like the preferred one as it can be and still fail in the same way. The
/// error says what is left: usually one or two facts.
///
/// If a body traps, the process ends, and its findings are lost. The next exploration at the same place reports which
/// schedule was running, and runs that first.
///
/// Everything runs on the calling thread, and without real time. An exploration does not find data races inside bodies,
/// what locks, files and other threads do, or orders of bodies that overlap.
///
/// - Parameters:
///   - strategy: Which orders are tried, in what sequence.
///   - configuration: How each run's dispatcher is made. Its width matters most. The history is kept only in runs that
///     are looked at closely, so a scenario must not ask for it.
///   - budget: When to stop if the strategy has not.
///   - failures: Whether the first failure is thrown, or all are collected.
///   - token: A printed schedule. If it is given, only this one is run. `TASKDISPATCH_REPLAY` in the environment takes
///     its place.
///   - regressions: A file of tokens, one a line, that are run first. A relative path begins at the test's directory.
///     The token of a failure that is found is added, so that it is tried each time. So is the token of an outcome that
///     ``Exploration/requireOutcomes(_:)`` and its like rejected. Lines that begin with `#` are for people.
///   - resources: For `.exhaustive` only: what tasks touch. Of orders that differ only in the order of two tasks that
///     share nothing, one is tried. Traps with any other strategy.
///   - scenario: Must do the same each time, except for the order. It returns what the order should not change, or what
///     is to be compared.
/// - Throws: ``ScheduleFailure`` for the first failure. ``ExplorationError`` if the exploration itself means nothing.
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

/// Explores a scenario that suspends: otherwise like
/// ``explore(_:configuration:budget:failures:replaying:regressions:resources:fileID:filePath:line:_:)``.
///
/// The scenario runs as a Task on the foreground. Every resumption of it, and of the Tasks that it starts on this
/// dispatcher, is a step. Time passes when nothing else can run.
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

/// Explores a function that has a name, as `explore(scenario)`: otherwise like
/// ``explore(_:configuration:budget:failures:replaying:regressions:resources:fileID:filePath:line:_:)``.
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

/// Explores a function that has a name and suspends, as `explore(scenario)`: otherwise like
/// ``explore(_:configuration:budget:failures:replaying:regressions:fileID:filePath:line:_:)``.
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

/// Declares what each task of a scenario touches, beside its dispatcher, that other tasks touch too.
///
/// A false declaration hides orders.
public struct DeclaredResources {
  let ofTask: (TaskRecord) -> Set<String>?

  /// - Parameter ofTask: The names of what the task touches. Nil if it may touch anything.
  public init(_ ofTask: @escaping (TaskRecord) -> Set<String>?) { self.ofTask = ofTask }
}

extension RecordingDispatcher {
  /// Returns one of `values`: in an exploration each of them in some order, elsewhere the first.
  ///
  /// So an exploration tries what the outside world may answer as it tries what may come first.
  ///
  /// - Parameters:
  ///   - values: At least one. Traps if there is none.
  ///   - label: The name of the choice in reports.
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
