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
    await waitForReport { $0.beginShutdown(policy) }
  }

  /// Waits until somebody else has shut down, and returns what was left. As ``shutdown(_:)``, without
  /// asking for it. Any number of Tasks; cancelling one does not end its wait.
  nonisolated(nonsending) public func waitForReport() async -> ShutdownReport {
    await waitForReport { _ in }
  }

  nonisolated(nonsending) private func waitForReport(
    _ begin: (Core) -> Void
  ) async -> ShutdownReport {
    let isOnMainActor = Self.isMain(#isolation)
    let report = await withCheckedContinuation { continuation in
      withCore { core in
        if isOnMainActor { core.awaitersOnMainActor += 1 }
        begin(core)
        let wake: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = core.shutdown?.report {
          core.outbox.append { wake(report) }
        } else {
          core.waitersForReport.append(wake)
        }
      }
    }
    if isOnMainActor {
      withCore { core in
        core.awaitersOnMainActor -= 1
        core.loop.isWanted = true
      }
    }
    return report
  }

  /// Never inlined: of the comparison in the asynchronous function, Swift 6.3.1 makes a broken module
  /// when it optimises.
  @inline(never) private static func isMain(_ actor: (any Actor)?) -> Bool {
    actor === MainActor.shared
  }
}
