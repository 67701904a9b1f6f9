#if Daemon
  internal import CDaemon
  internal import Glibc
  internal import Logging
  public import ServiceLifecycle
  public import UVDispatch

  extension Daemon {
    /// Makes a write to a peer that has gone fail with `EPIPE`, on every thread.
    func surviveBrokenPipes() {
      let code = cdaemon_survive_broken_pipes()
      guard code != 0 else { return }
      logger.warning("SIGPIPE keeps ending the process: \(unsafe String(cString: strerror(code)))")
    }

    /// Logs bodies that keep their thread for too long, unless the observer of the dispatcher does.
    func watchStalls(of dispatcher: UVDispatcher) {
      if isLogged(by: dispatcher.configuration.observer) { return }
      let log = StallLog(logger)
      do throws(UVError) {
        try dispatcher.watchStalls { log.note($0) }
      } catch {
        logger.warning("nothing watches for bodies that keep their thread for too long: \(error)")
      }
    }

    private func isLogged(by observer: (any TaskObserver)?) -> Bool {
      if observer is LoggingObserver { return true }
      return (observer as? TaskObservers)?.observers.contains { isLogged(by: $0) } ?? false
    }

    /// Unblocks signals on the calling thread and on the workers, and logs those that the calling thread had blocked.
    func letIn(_ signals: [Signal]) {
      for signal in signals where SignalMasks.letIn(signal.rawValue) {
        logger.notice("\(signal) was blocked, and nothing would have come of it: it is let in now")
      }
    }
  }

  extension Daemon where Dispatcher == UVDispatcher {
    /// Runs the loop on the calling thread, until the end of a shutdown that one of `signals` or other code has
    /// begun. Once.
    ///
    /// It serves the main queue and traps as ``UVDispatcher/run(servesMainQueue:)`` does. If the calling thread
    /// blocks one of the signals, because the program was started so, it is unblocked, and that is logged. A write to
    /// a peer that has gone fails with `EPIPE` on every thread since this daemon was made, unless the process handles
    /// or ignores `SIGPIPE`.
    ///
    /// - Parameter signals: The signals that ask for the end.
    /// - Returns: What the shutdown left behind, which was logged as well. If a body still runs, returning from
    ///   `main` waits for it: call `_exit` to end now.
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for. Then nothing has run.
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

  /// Runs the daemon in a `ServiceGroup`, which then handles the signals.
  extension Daemon: Service where Dispatcher == UVDispatcher {
    /// Runs the loop on a thread of its own until the dispatcher was shut down. Once.
    ///
    /// A graceful shutdown of the group begins a shutdown that drains. Cancellation by the group begins one that does
    /// not: it cancels what has not started and asks running bodies to stop. Other code may shut the dispatcher down
    /// too.
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
