public import TaskDispatch

extension UVDispatcher {
  public func beginShutdown(_ policy: ShutdownPolicy) {
    if ForkGuard.isForked { return }
    withCore { $0.beginShutdown(policy) }
  }

  public var report: ShutdownReport? { withCore { $0.shutdown?.report } }

  /// See the requirement. A caller on the main actor has gone on before ``run(servesMainQueue:)``
  /// returns, up to where it awaits something else, if that serves the main actor.
  nonisolated(nonsending) public func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    let isOnMainActor = #isolation === MainActor.shared
    let report = await withCheckedContinuation { continuation in
      withCore { core in
        if isOnMainActor { core.awaitersOnMainActor += 1 }
        core.beginShutdown(policy)
        let wake: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = core.shutdown?.report {
          core.outbox.append { wake(report) }
        } else {
          core.shutdown?.waiters.append(wake)
        }
      }
    }
    if isOnMainActor {
      withCore { core in
        core.awaitersOnMainActor -= 1
        core.turnIsWanted = true
      }
    }
    return report
  }
}
