public import TaskDispatch

extension RecordingDispatcher {
  // MARK: One step

  /// Runs the oldest foreground task: a timer that is due, an event, or else what was posted.
  ///
  /// - Returns: The task that ran.
  /// - Throws: If nothing can run there; then nothing has.
  @discardableResult
  public func runNextForegroundTask() throws(StepError) -> TaskRecord {
    try step("runNextForegroundTask()") { state throws(StepError) in
      guard let next = state.takeForeground() else {
        throw state.nothing(on: "the foreground") { $0.lane == .foreground }
      }
      return next
    }
  }

  /// Runs the next background task, of any view: the oldest that has started, or else the one that
  /// a free worker would start.
  @discardableResult
  public func runNextBackgroundTask() throws(StepError) -> TaskRecord {
    try step("runNextBackgroundTask()") { state throws(StepError) in
      guard let next = state.takeBackground() else {
        throw state.nothing(on: "the background") { $0.lane == .background }
      }
      return next
    }
  }

  /// Runs the next task of `queue`. Tasks of other queues that a worker would have to start first
  /// are started, and not run, as long as there are free workers.
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

  /// Runs the task with this label, of which there must be one that waits.
  ///
  /// A background task further back starts those before it, as far as there are free workers: on
  /// threads they could be overtaken in no other way. They run in later steps. A foreground task
  /// runs only when it is the next.
  @discardableResult
  public func runTask(labeled label: String) throws(StepError) -> TaskRecord {
    try step("runTask(labeled:)") { state throws(StepError) in
      let pending = state.pendingTasks()
      var matches = pending.filter { $0.task.label == label }
      // A repeating timer does not run itself: its runs do, under the same label.
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

  /// Runs tasks of both lanes until none can run: of the two that are next, the one that was submitted
  /// first. Time does not move, but in an exploration, where it may pass while something waits.
  ///
  /// - Parameter limit: The most steps, with what runs while a body waits; that of the configuration if nil.
  /// - Returns: How many steps it took.
  /// - Throws: ``StepError/stepLimitReached(limit:recurring:)``, which names what recurs. What has
  ///   run has run; the rest still waits.
  @discardableResult
  public func runUntilIdle(limit: Int? = nil) throws(StepError) -> Int {
    try steps("runUntilIdle(limit:)") { () throws(StepError) in
      try drain(.everything, limit: limit)
    }
  }

  /// Runs foreground tasks until none can run.
  @discardableResult
  public func runForegroundUntilIdle(limit: Int? = nil) throws(StepError) -> Int {
    try steps("runForegroundUntilIdle(limit:)") { () throws(StepError) in
      try drain(.loop, limit: limit)
    }
  }

  /// Runs background tasks until none can run.
  @discardableResult
  public func runBackgroundUntilIdle(limit: Int? = nil) throws(StepError) -> Int {
    try steps("runBackgroundUntilIdle(limit:)") { () throws(StepError) in
      try drain(.pool, limit: limit)
    }
  }

  /// Runs tasks of both lanes until `condition` holds. It is asked before each step.
  ///
  /// - Returns: How many steps it took.
  /// - Throws: ``StepError/conditionNotMet(pending:nextDeadline:)`` if nothing is left to run first.
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
      // The condition looks between any two.
      withState { $0.decisions?.reduction?.touchesEverything() }
      try performStep(next, budget)
    }
    return budget.steps
  }

  // MARK: How a step is made

  /// One step: takes under the lock, runs without it.
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

  /// Ends a step, and runs what the policy runs by itself before it lets the test go on.
  func endStepping() {
    withState { state in
      state.isStepping = false
      state.advanceShutdown()
    }
    settleShutdown()
    runAutomatically()
  }

  /// What a call that runs many steps runs.
  enum Driven { case loop, pool, everything }

  /// Runs until nothing of what is driven can run. Only while stepping.
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

  /// Of the call that steps now, and that calls which wait in its bodies use as well.
  func makeStepBudget(_ limit: Int?) -> StepBudget {
    let budget = StepBudget(limit ?? configuration.stepLimit)
    withState { $0.stepBudget = budget }
    return budget
  }

  /// Whether there may be more to do although a take found nothing: somebody was told that
  /// something expired, or that a shutdown has gone on, and may go on here.
  func looksAgain(_ driven: Driven) -> Bool {
    withState { state in
      let phase = state.shutdown?.phase
      state.advanceShutdown()
      return state.shutdown?.phase != phase
    } || withState { $0.hasMore(driven) }
  }

  /// The next body: the chooser's, or by the fake's own preference.
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
      // What stood behind this body has no time left if it began a shutdown without any.
      if state.drainIsOver { state.advanceShutdown() }
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

  /// Runs what the policy runs by itself, unless this thread or another steps already.
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
    settleShutdown()
  }
}
