public import TaskDispatch

extension RecordingDispatcher {
  // MARK: One step

  /// Runs the next foreground task: a timer that is due, or else an event, or else the oldest posted task.
  ///
  /// One thread at a time may step, and never inside a body: see ``StepError/reentrantStep(_:running:)``.
  ///
  /// - Returns: The task that ran.
  /// - Throws: ``StepError``, if no task can run there: then none has run. ``StepError/taskThrew(_:_:)``, if the body
  ///   threw and the configuration says `.atOnce`: then the task has ended.
  @discardableResult
  public func runNextForegroundTask() throws(StepError) -> TaskRecord {
    try step("runNextForegroundTask()") { state throws(StepError) in
      guard let next = state.takeForeground() else {
        throw state.nothing(on: "the foreground") { $0.lane == .foreground }
      }
      return next
    }
  }

  /// Runs the next background task, of any view: the oldest that has started, or else the one that a free worker would
  /// start.
  ///
  /// - Throws: ``StepError``, as ``runNextForegroundTask()`` does.
  @discardableResult
  public func runNextBackgroundTask() throws(StepError) -> TaskRecord {
    try step("runNextBackgroundTask()") { state throws(StepError) in
      guard let next = state.takeBackground() else {
        throw state.nothing(on: "the background") { $0.lane == .background }
      }
      return next
    }
  }

  /// Runs the next task of `queue`.
  ///
  /// Tasks of other queues that a worker would have to start first are started and not run, as far as there are free
  /// workers. Traps if `queue` belongs to another dispatcher.
  ///
  /// - Throws: ``StepError``, if no task of `queue` can run.
  @discardableResult
  public func runNextTask(on queue: TaskQueue) throws(StepError) -> TaskRecord {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    return try step("runNextTask(on:)") { state throws(StepError) in
      guard queue.lane == .background else {
        guard let next = state.takeForeground() else {
          throw state.nothing(on: "the foreground") { $0.lane == .foreground }
        }
        return next
      }
      let view = state.view(queue.view)
      let label = queue.label
      let runnable = state.pendingTasks().contains {
        $0.obstacle == nil && $0.task.lane == .background && $0.task.queue == label
      }
      guard runnable, let next = state.reach({ $0.view === view }) else {
        throw state.nothing(on: label) { $0.lane == .background && $0.queue == label }
      }
      return next
    }
  }

  /// Runs the one waiting task that has this label.
  ///
  /// A background task further back starts the tasks before it, as far as there are free workers: on threads it could
  /// overtake them in no other way. Those run in later steps. A foreground task runs only if it is the next.
  ///
  /// - Throws: ``StepError``, if no waiting task or more than one has this label, or if the task cannot run now.
  @discardableResult
  public func runTask(labeled label: String) throws(StepError) -> TaskRecord {
    try step("runTask(labeled:)") { state throws(StepError) in
      let pending = state.pendingTasks()
      var matches = pending.filter { $0.task.label == label }
      // A repeating timer does not run itself. Its runs do, under the same label.
      if matches.contains(where: { !$0.repeats }) { matches.removeAll(where: \.repeats) }
      guard let match = matches.first else {
        throw .unknownLabel(
          label, nearMisses: nearMisses(of: label, in: pending.compactMap(\.task.label)),
          pending: pending, hasRun: state.lastStarted(label))
      }
      guard matches.count == 1 else { throw .ambiguousLabel(label, matches) }
      return try state.take(match)
    }
  }

  /// Runs the task with this id. See ``runTask(labeled:)``.
  @discardableResult
  public func runTask(_ id: TaskID) throws(StepError) -> TaskRecord {
    try step("runTask(_:)") { state throws(StepError) in
      let pending = state.pendingTasks()
      guard let match = pending.first(where: { $0.task.id == id }) else {
        throw .unknownTask(id, pending: pending)
      }
      return try state.take(match)
    }
  }

  // MARK: Many steps

  /// Runs tasks of both lanes until none can run. Of the two that are next, the one submitted first runs.
  ///
  /// Time does not move, except in an exploration, where it may pass while something waits.
  ///
  /// - Parameter limit: The most steps, at least 1, with those that run while a body waits. The configuration's limit
  ///   if nil.
  /// - Returns: How many steps it took.
  /// - Throws: ``StepError/stepLimitReached(limit:recurring:)``, which names what recurs. Tasks that have run stay run,
  ///   and the rest still waits.
  @discardableResult
  public func runUntilIdle(limit: Int? = nil) throws(StepError) -> Int {
    try steps("runUntilIdle(limit:)") { () throws(StepError) in
      try drain(.everything, limit: limit)
    }
  }

  /// Runs foreground tasks until none can run. See ``runUntilIdle(limit:)``.
  @discardableResult
  public func runForegroundUntilIdle(limit: Int? = nil) throws(StepError) -> Int {
    try steps("runForegroundUntilIdle(limit:)") { () throws(StepError) in
      try drain(.loop, limit: limit)
    }
  }

  /// Runs background tasks until none can run. See ``runUntilIdle(limit:)``.
  @discardableResult
  public func runBackgroundUntilIdle(limit: Int? = nil) throws(StepError) -> Int {
    try steps("runBackgroundUntilIdle(limit:)") { () throws(StepError) in
      try drain(.pool, limit: limit)
    }
  }

  /// Runs tasks of both lanes until `condition` holds.
  ///
  /// - Parameter condition: Called before each step, on this thread.
  /// - Returns: How many steps it took.
  /// - Throws: ``StepError/conditionNotMet(pending:nextDeadline:)`` if nothing is left to run and the condition does
  ///   not hold. Also what `condition` throws.
  @discardableResult
  public func run(
    limit: Int? = nil, until condition: () throws -> Bool
  ) throws -> Int {
    try beginStepping("run(until:)")
    defer { endStepping() }
    let budget = makeStepBudget(limit)
    while try !condition() {
      try check(budget, .everything)
      guard let next = takeNext() else {
        if looksAgain(.everything) { continue }
        throw withState {
          StepError.conditionNotMet(
            pending: $0.pendingTasks(), nextDeadline: $0.nextDeadlineInstant)
        }
      }
      // The condition looks at the state between any two steps, so each step may show its place in the order.
      withState { $0.decisions?.reduction?.touchesEverything() }
      try performStep(next, budget)
    }
    return budget.steps
  }

  // MARK: How a step is made

  /// Makes one step: takes a task under the lock, and runs it without the lock.
  private func step(
    _ call: String, _ take: (inout State) throws(StepError) -> Entry
  ) throws(StepError) -> TaskRecord {
    let next = try withState { state throws(StepError) in
      try state.beginStepping(call)
      do throws(StepError) { return try take(&state) } catch {
        state.isStepping = false
        throw error
      }
    }
    let goesOn = configuration.policy != .manual
    let outcome = perform(next, endsStep: !goesOn)
    if goesOn { endStepping() }
    try checkThrown(next, outcome)
    return next.record
  }

  private func steps(
    _ call: String, _ body: () throws(StepError) -> Int
  ) throws(StepError) -> Int {
    try beginStepping(call)
    defer { endStepping() }
    return try body()
  }

  func beginStepping(_ call: String) throws(StepError) {
    try withState { state throws(StepError) in try state.beginStepping(call) }
  }

  /// Ends a step, and runs what the policy runs by itself before control returns to the test.
  func endStepping() {
    withState { state in
      state.isStepping = false
      state.advanceShutdown()
    }
    advanceShutdownToItsEnd()
    runAutomatically()
  }

  /// Which tasks a call that makes many steps runs.
  enum Driven { case loop, pool, everything }

  /// Runs until nothing of what is driven can run. The calling thread must be stepping.
  @discardableResult
  func drain(_ driven: Driven, limit: Int?) throws(StepError) -> Int {
    try drain(driven, makeStepBudget(limit))
  }

  @discardableResult
  func drain(_ driven: Driven, _ budget: StepBudget) throws(StepError) -> Int {
    while true {
      guard let next = takeNext(driven) else {
        if looksAgain(driven) { continue }
        return budget.steps
      }
      try performStep(next, budget)
      try check(budget, driven)
    }
  }

  /// Makes the budget of the call that steps now. Calls that wait in its bodies use that budget as well.
  func makeStepBudget(_ limit: Int?) -> StepBudget {
    let budget = StepBudget(limit ?? configuration.stepLimit)
    withState { $0.stepBudget = budget }
    return budget
  }

  /// Whether there may be more to run although no task was found. Callbacks about expired tasks or about the progress
  /// of a shutdown may have brought work.
  func looksAgain(_ driven: Driven) -> Bool {
    withState { state in
      let phase = state.shutdown?.phase
      state.advanceShutdown()
      return state.shutdown?.phase != phase
    } || withState { $0.hasMore(driven) }
  }

  /// The next body: the chooser's choice, or else that of an exploration or the fake's own preference.
  func takeNext(_ driven: Driven = .everything) -> Entry? {
    guard let chooser, driven == .everything else {
      while true {
        switch withState({ $0.takeNext(driven) }) {
        case .body(let entry): return entry
        case .again: continue
        case .nothing: return nil
        }
      }
    }
    while true {
      let moves = withState { $0.legalMoves() }
      guard !moves.isEmpty else { return nil }
      let index = chooser.choose(among: moves)
      require(moves.indices.contains(index), "a chooser named move \(index) of \(moves.count)")
      if let next = withState({ $0.make(moves[index]) }) { return next }
    }
  }

  func performStep(_ next: Entry, _ budget: StepBudget) throws(StepError) {
    budget.count(next)
    let outcome = perform(next)
    withState { state in
      // If the body began a shutdown that leaves no time, the tasks behind it must not run.
      if state.shutdownMayGoOn { state.advanceShutdown() }
    }
    try checkThrown(next, outcome)
  }

  /// Throws if the budget is spent and more of what is driven could run.
  func check(_ budget: StepBudget, _ driven: Driven) throws(StepError) {
    guard let spent = budget.spent, withState({ $0.hasMore(driven) }) else { return }
    throw spent.error
  }

  private func checkThrown(_ ran: Entry, _ outcome: Outcome) throws(StepError) {
    guard configuration.thrownErrors == .atOnce, case .failed(let error) = outcome,
      let item = ran.item, !item.failureIsSeen
    else { return }
    item.noteFailureSeen()
    throw .taskThrew(ran.record, error)
  }

  // MARK: Running by itself

  /// Runs what the policy runs by itself, unless a thread steps already.
  func runAutomatically() {
    let driven: Driven
    switch configuration.policy {
    case .manual, .unimplemented: return
    case .automaticForeground: driven = .loop
    case .inline, .automatic: driven = .everything
    }
    let mayRun = withState { state -> Bool in
      guard !state.isStepping, state.bodyOfThisThread == nil, state.hasMore(driven) else {
        return false
      }
      state.isStepping = true
      return true
    }
    guard mayRun else { return }
    do throws(StepError) { try drain(driven, limit: nil) } catch {
      withState { $0.automaticErrors.append(error) }
    }
    withState { state in
      state.isStepping = false
      state.advanceShutdown()
    }
    advanceShutdownToItsEnd()
  }
}
