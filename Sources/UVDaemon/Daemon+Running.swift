#if Daemon
  internal import CDaemon
  internal import Glibc
  internal import Logging
  public import ServiceLifecycle
  public import UVDispatch

  extension Daemon {
    /// Lets a write to a peer that has gone fail with `EPIPE` on every thread.
    func surviveBrokenPipes() {
      let code = cdaemon_survive_broken_pipes()
      guard code != 0 else { return }
      logger.warning("SIGPIPE keeps ending the process: \(unsafe String(cString: strerror(code)))")
    }

    /// On the calling thread, and on the workers.
    func letIn(_ signals: [Signal]) {
      for signal in signals where SignalMasks.letIn(signal.rawValue) {
        logger.notice("\(signal) was blocked, and nothing would have come of it: it is let in now")
      }
    }
  }

  extension Daemon where Dispatcher == UVDispatcher {
    /// Runs the loop on the calling thread until one of `signals` has come and the shutdown that it
    /// begins is over, or anybody else's. Once.
    ///
    /// What ``UVDispatcher/run(servesMainQueue:)`` says holds here. A signal of those that the calling thread blocks,
    /// as one does that was started so, is let in, and that is logged. A write to a peer that has gone fails with
    /// `EPIPE`, on every thread and since this daemon was made, unless the process has said what `SIGPIPE` is to do.
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
