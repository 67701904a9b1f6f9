#if Daemon
  public import ServiceLifecycle
  public import UVDispatch

  extension Daemon where Dispatcher == UVDispatcher {
    /// Runs the loop on the calling thread until one of `signals` has come and the shutdown that it
    /// begins is over, or anybody else's. Once.
    ///
    /// What ``UVDispatcher/run(servesMainQueue:)`` says holds here.
    ///
    /// - Returns: What the shutdown left behind, which was logged as well. If it left a body that still
    ///   runs, returning from `main` waits for that: leave with `_exit` to end now.
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for; then nothing has run.
    @available(
      *, noasync, message: "the loop would keep a thread of Swift's pool; use a ServiceGroup"
    )
    @discardableResult
    public func run(
      untilSignals signals: [Signal] = [.terminate, .interrupt]
    ) throws(EventRefusal) -> ShutdownReport {
      try begin(untilSignals: signals)
      let report = dispatcher.run()
      log(report)
      return report
    }
  }

  /// In a `ServiceGroup`, whose business the signals are then.
  extension Daemon: Service where Dispatcher == UVDispatcher {
    /// Runs the loop on a thread of its own, until the group shuts it down gracefully, which drains;
    /// or cancels it, which cancels what has not started and asks what runs to stop; or somebody else
    /// shuts the dispatcher down. Once.
    ///
    /// - Throws: ``UVError`` if the system has no room for another thread.
    public func run() async throws {
      try begin(untilSignals: [])
      try dispatcher.start()
      let report = await withTaskCancellationHandler {
        await withGracefulShutdownHandler {
          await dispatcher.waitForReport()
        } onGracefulShutdown: {
          self.beginShutdown(because: "graceful shutdown")
        }
      } onCancel: {
        beginShutdown(
          because: "cancelled", ShutdownPolicy(drain: .zero, cancel: policy.cancel))
      }
      log(report)
    }
  }
#endif
