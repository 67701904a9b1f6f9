public import TaskDispatch

extension RecordingDispatcher {
  /// Closes the gate. What was accepted drains as the test steps it; the deadlines are in virtual
  /// time, and ``report`` is there when everything has ended. At the last deadline that is all but the jobs of
  /// Swift Tasks: the fake does not give those up, as `UVDispatcher` does, but waits until the test has stepped them.
  public func beginShutdown(_ policy: ShutdownPolicy) {
    withState { $0.beginShutdown(policy) }
    settleShutdown()
    runAutomatically()
  }

  /// Suspends until the test has stepped everything that is left. See ``beginShutdown(_:)``.
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
          state.shutdown?.waiters.append(wake)
        }
      }
    }
  }

  public var report: ShutdownReport? { withState { $0.shutdown?.report } }

  /// Takes a shutdown as far as it goes, unless a step will do so when it ends.
  ///
  /// Each time those who were told of a cancellation may have brought more work.
  ///
  /// - Parameter insideStep: Also while one runs: its body has taken longer than the deadlines.
  func settleShutdown(insideStep: Bool = false) {
    while withState({ state -> Bool in
      guard insideStep || !state.isStepping, state.shutdownMayGoOn else { return false }
      state.advanceShutdown()
      return state.shutdownMayGoOn
    }) {}
  }
}
