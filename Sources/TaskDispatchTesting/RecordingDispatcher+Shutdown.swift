public import TaskDispatch

extension RecordingDispatcher {
  /// Begins to shut down: no new work is accepted, and accepted work drains as the test steps it. Returns at once.
  ///
  /// Any thread or task. The deadlines are in virtual time. ``report`` is there when everything has ended. At the last
  /// deadline the fake abandons everything but the jobs of Swift Tasks: it waits until the test has stepped those,
  /// where `UVDispatcher` would give them up.
  public func beginShutdown(_ policy: ShutdownPolicy) {
    withState { state in
      state.beginShutdown(policy)
      // A body that leaves no time sees that at once.
      if state.isStepping, state.shutdownMayGoOn { state.advanceShutdown(isAskedFor: true) }
    }
    advanceShutdownToItsEnd()
    runAutomatically()
  }

  /// Shuts down, and suspends until the test has stepped everything that is left. See ``beginShutdown(_:)``.
  nonisolated(nonsending) public func shutdown(
    _ policy: ShutdownPolicy
  ) async -> ShutdownReport {
    beginShutdown(policy)
    return await withCheckedContinuation { continuation in
      withState { state in
        let wake: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = state.shutdown?.report {
          state.wakeLater { wake(report) }
        } else {
          state.reportWaiters.append(wake)
        }
      }
    }
  }

  public var report: ShutdownReport? { withState { $0.shutdown?.report } }

  /// Takes a shutdown as far as it goes, unless a step is running, which will do so at its end.
  ///
  /// It repeats: callbacks about cancelled tasks may submit more work each time.
  ///
  /// - Parameter insideStep: Whether to do so although a step runs, because its body has moved time.
  func advanceShutdownToItsEnd(insideStep: Bool = false) {
    while withState({ state -> Bool in
      guard insideStep || !state.isStepping, state.shutdownMayGoOn else { return false }
      state.advanceShutdown()
      return state.shutdownMayGoOn
    }) {}
  }
}
