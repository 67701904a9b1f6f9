public import TaskDispatch

extension RecordingDispatcher {
  /// Which tasks a call that moves time runs on the way.
  public enum Drive: Sendable, Hashable {
    /// The foreground and the timers, for a test that steps the background itself. Timers of the background come due,
    /// and wait there.
    case loop
    /// Both lanes.
    case everything
  }

  /// Moves virtual time forward, and runs what can run on the way.
  ///
  /// First it runs everything that can run now. Then time moves from one deadline to the next, up to and including the
  /// end. At each deadline it runs what came due, and what that led to. Inside a task, ``now`` is the task's deadline.
  /// Time moves also if nothing waits.
  ///
  /// - Parameters:
  ///   - duration: Not negative. Zero runs what is due now.
  ///   - driving: Whether the background runs too.
  /// - Throws: ``StepError/timeBackwards(now:requested:)`` if `duration` is negative: nothing has changed then.
  ///   ``StepError/stepLimitReached(limit:recurring:)`` if the steps at one time exceed the limit, or all steps exceed
  ///   ten times the limit (100 000 if that is more): time then stays there.
  public func advanceTime(
    by duration: Duration, driving: Drive = .everything
  ) throws(StepError) {
    try beginStepping("advanceTime(by:)")
    defer { endStepping() }
    try advance(to: now.advanced(by: duration), driving)
  }

  /// Moves virtual time forward to `time`, and runs what can run on the way. See ``advanceTime(by:driving:)``.
  public func advanceTime(
    to time: DispatcherInstant, driving: Drive = .everything
  ) throws(StepError) {
    try beginStepping("advanceTime(to:)")
    defer { endStepping() }
    try advance(to: time, driving)
  }

  /// Moves virtual time to the next deadline, and runs what can run there.
  ///
  /// - Returns: The time of that deadline.
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

  /// Moves virtual time while nothing runs, as if the loop were late. Tasks that came due wait to be stepped.
  ///
  /// A body may call it too: the body then takes that long.
  ///
  /// - Parameter duration: Not negative.
  /// - Throws: ``StepError/timeBackwards(now:requested:)`` if `duration` is negative: nothing has changed then.
  public func skipTime(by duration: Duration) throws(StepError) {
    try withState { state throws(StepError) in
      let now = DispatcherInstant(nanoseconds: state.now)
      try state.move(to: now.advanced(by: duration))
      state.advanceShutdown()
    }
    advanceShutdownToItsEnd(insideStep: true)
  }

  /// Moves time to `time` and runs what `drive` says. The calling thread must be stepping.
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
      // Where one time leaves nothing to run, the checks of `drain` do not throw. Something has come due now.
      try check(budget, driven)
      try drain(driven, budget)
    }
  }

  /// Moves to the next deadline, or to `end` if that comes first. Returns false if nothing is due there.
  ///
  /// If a body has skipped time beyond the end, time stays where it is.
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
