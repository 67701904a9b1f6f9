import TaskDispatch

/// Running what waits. Every call here is made by the thread that steps.
extension SteppedDispatcher {
  /// Runs everything that can run now.
  func runUntilIdle() { while step() {} }

  /// Runs everything of the background that can run now.
  func runBackgroundUntilIdle() { while step(of: .background) {} }

  /// Lets time pass, and runs what comes due.
  func pass(_ duration: Duration) {
    let end = now.advanced(by: duration)
    runUntilIdle()
    while now < end {
      advance(until: end)
      runUntilIdle()
    }
  }

  /// Lets time pass inside a body. Nothing else runs.
  func spend(_ duration: Duration) { move(to: now.advanced(by: duration)) }

  /// Runs what is left of a shutdown, until its report is there.
  func end() {
    while true {
      advanceShutdown()
      runUntilIdle()
      guard report == nil, let next = withState({ $0.nextDeadline }) else { return }
      move(to: next)
    }
  }

  /// Runs the next task, one that is `wanted` if there is one.
  ///
  /// - Returns: Whether there was one that could start.
  func step(of lane: Lane? = nil, wanted: (SteppedTask) -> Bool = { _ in false }) -> Bool {
    guard let task = withState({ $0.beginNext(of: lane, wanted: wanted) }) else { return false }
    perform(task)
    return true
  }

  /// Runs the body of a task that has begun.
  ///
  /// - Parameter hidesOuter: Whether the contexts below on this thread are none of its own, as if it ran on a thread of
  ///   its own.
  func perform(_ task: SteppedTask, hidesOuter: Bool = true) {
    let outcome = task.run(by: self, hidesOuter: hidesOuter) { task.taken.item.run() }
    // The end of a sync belongs to the call. Other ends are told in no task.
    withState(outsideTasks: !task.isCaller) { $0.finish(task, outcome) }
    advanceShutdown()
  }

  // MARK: Time

  /// Moves time to the next deadline, but not beyond `end`.
  func advance(until end: DispatcherInstant) {
    move(to: withState { min($0.nextDeadline ?? end, end) })
  }

  private func move(to time: DispatcherInstant) {
    withState { $0.move(to: time) }
    advanceShutdown()
  }

  // MARK: The end

  func beginShutdown(_ policy: ShutdownPolicy) {
    withState { $0.beginShutdown(policy) }
    advanceShutdown()
  }

  nonisolated(nonsending) func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    beginShutdown(policy)
    return await withCheckedContinuation { continuation in
      withState { state in
        let resume: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = state.report {
          state.resumeLater { resume(report) }
        } else {
          state.reportWaiters.append(resume)
        }
      }
    }
  }

  /// Takes a shutdown as far as it goes. Callbacks about what it cancels may submit more each time.
  func advanceShutdown() {
    let mayConclude = TaskContext.deliveries(for: ObjectIdentifier(self)) == 0
    while withState({ $0.advanceShutdown(mayConclude: mayConclude) }) {}
  }
}
