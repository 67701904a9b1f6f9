public import TaskDispatch

extension UVDispatcher {
  public func beginShutdown(_ policy: ShutdownPolicy) {
    if ForkGuard.isForked { return }
    withCore { $0.beginShutdown(policy) }
  }

  public var report: ShutdownReport? { withCore { $0.shutdown?.report } }

  nonisolated(nonsending) public func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    await withCheckedContinuation { continuation in
      withCore { core in
        core.beginShutdown(policy)
        let wake: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = core.shutdown?.report {
          core.outbox.append { wake(report) }
        } else {
          core.shutdown?.waiters.append(wake)
        }
      }
    }
  }
}
