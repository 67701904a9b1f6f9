public import TaskDispatch

extension RecordingDispatcher {
  /// What a call that moves time runs on the way.
  public enum Drive: Sendable, Hashable {
    /// The foreground and the timers: a test that steps the background itself. Timers of the
    /// background come due, and wait there.
    case loop
    /// Both lanes.
    case everything
  }

  /// Moves virtual time forward, and runs what can run on the way.
  ///
  /// First everything that waits runs; then time goes from one deadline to the next, up to and
  /// including the end, and at each everything runs that came due and what that led to. Inside a
  /// task ``now`` is its deadline. Time moves also if nothing waits.
  ///
  /// - Parameters:
  ///   - duration: Zero runs what is due now.
  ///   - driving: Whether the background runs too.
  /// - Throws: ``StepError/timeBackwards(now:requested:)`` if negative, and nothing has changed. If
  ///   the steps at one time exceed the limit, or all steps ten times that (100 000 if that is more), time stays there.
  public func advanceTime(
    by duration: Duration, driving: Drive = .everything
  ) throws(StepError) {
    try beginStepping("advanceTime(by:)")
    defer { endStepping() }
    try advance(to: now.advanced(by: duration), driving)
  }

  /// Moves virtual time forward to `time`. See ``advanceTime(by:driving:)``.
  public func advanceTime(
    to time: DispatcherInstant, driving: Drive = .everything
  ) throws(StepError) {
    try beginStepping("advanceTime(to:)")
    defer { endStepping() }
    try advance(to: time, driving)
  }

  /// Moves virtual time to the next deadline, and runs what can run there.
  ///
  /// - Returns: That time.
  /// - Throws: ``StepError/nothingQueued(_:elsewhere:nextDeadline:)`` if nothing waits for a time.
  @discardableResult
  public func advanceToNextDeadline(
    driving: Drive = .everything
  ) throws(StepError) -> DispatcherInstant {
    try beginStepping("advanceToNextDeadline()")
    defer { endStepping() }
    let next = try withState { state throws(StepError) in
      guard let next = state.nextDeadlineInstant else {
        throw .nothingQueued(
          "any timer", elsewhere: state.pendingTasks(), nextDeadline: nil)
      }
      return next
    }
    try advance(to: next, driving)
    return next
  }

  /// Lets time pass while nothing runs: a loop that is late. What came due waits to be stepped.
  ///
  /// May be called inside a body too: it then takes that long.
  ///
  /// - Throws: ``StepError/timeBackwards(now:requested:)`` if negative.
  public func skipTime(by duration: Duration) throws(StepError) {
    try withState { state throws(StepError) in
      let now = DispatcherInstant(nanoseconds: state.now)
      try state.move(to: now.advanced(by: duration))
      state.advanceShutdown()
    }
    settleShutdown(insideStep: true)
  }

  /// Only while stepping.
  private func advance(to time: DispatcherInstant, _ drive: Drive) throws(StepError) {
    try withState { state throws(StepError) in
      let now = DispatcherInstant(nanoseconds: state.now)
      guard time >= now else { throw .timeBackwards(now: now, requested: time) }
    }
    let driven: Driven = drive == .loop ? .loop : .everything
    let before = withState { state in
      defer { state.horizon = time.nanoseconds }
      return state.horizon
    }
    defer { withState { $0.horizon = before } }
    let budget = makeStepBudget(nil)
    try drain(driven, budget)
    while try moveToDeadline(before: time) {
      budget.timeHasMoved()
      // What one step uses up at each time is seen by no step.
      try check(budget, driven)
      try drain(driven, budget)
    }
  }

  /// Moves to the next deadline, or to `end` if that comes first. False if nothing is due there.
  ///
  /// A body may have skipped time beyond the end: then time stays there.
  private func moveToDeadline(before end: DispatcherInstant) throws(StepError) -> Bool {
    try withState { state throws(StepError) in
      let now = DispatcherInstant(nanoseconds: state.now)
      let next = state.nextDeadlineInstant
      try state.move(to: max(now, min(end, next ?? end)))
      state.advanceShutdown()
      return next.map { $0 <= max(now, end) } ?? false
    }
  }
}
