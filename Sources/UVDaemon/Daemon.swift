#if Daemon
  public import Logging
  public import UVDispatch

  /// Connects a dispatcher to what a daemon lives in: signals, and the service manager that watches it.
  ///
  /// Signals ask the daemon to end, or to reload its configuration.
  ///
  /// ```swift
  /// let logger = Logger(label: "spoold")
  /// let dispatcher = try UVDispatcher(.init(label: "spoold"))
  /// let daemon = try Daemon(dispatcher, logger: logger)
  /// try daemon.onReload { try await configuration.reload() }        // SIGHUP
  /// dispatcher.foreground { listen(); daemon.ready("listens") }
  /// let report = try daemon.run()                                   // until SIGTERM or SIGINT
  /// ```
  ///
  /// The first signal that asks for the end begins a shutdown, which drains. A second signal means *now*, in the
  /// drain and in the cancel phase after it: the shutdown cancels what has not started and does not wait for what
  /// runs. By default a signal that comes within a second of the first is ignored and logged: a supervisor may pass
  /// one request on twice, or send two signals for it. When the shutdown is over, the signals do again what they did
  /// before. While a body holds the loop, no signal has an effect: that is what a watchdog is for.
  ///
  /// The daemon notifies the service manager from the loop, also with ``ServiceManager/Notification/watchdog``. A
  /// loop that is stuck sends nothing, so the service manager can restart the process. Without a service manager no
  /// notification is sent, and everything else is the same.
  ///
  /// Its logic runs on the dispatcher: a test that passes a `RecordingDispatcher` raises the signals and steps
  /// through what they cause.
  public final class Daemon<Dispatcher: EventDispatcher>: Sendable {
    /// The dispatcher of the daemon.
    public let dispatcher: Dispatcher
    /// The service manager that the daemon notifies.
    public let manager: ServiceManager
    let policy: ShutdownPolicy
    private let secondSignalAfter: Duration
    private let snapshotSignal: Signal?
    let reloadTimeout: Duration
    let logger: Logger
    let teller: Teller
    let listening = Locked(Listening())
    let endings = Endings()
    /// When the first signal asked for the end.
    private let firstRequest: Confined<DispatcherInstant?>

    /// Makes a daemon. The service manager hears nothing yet, and no signal is handled. Any thread.
    ///
    /// With a ``UVDispatcher`` it also installs a handler for `SIGPIPE` that does nothing, unless the process handles
    /// or ignores that signal. And it watches for stalls, as ``UVDispatcher/watchStalls(_:)`` does: bodies that keep
    /// their thread for longer than the thresholds of the dispatcher are logged as ``LoggingObserver`` logs them. If
    /// the dispatcher's observer is a ``LoggingObserver``, alone or among ``TaskObservers``, that one does it.
    ///
    /// - Parameters:
    ///   - dispatcher: The dispatcher of the daemon.
    ///   - policy: The deadlines of a shutdown that a signal begins.
    ///   - secondSignalAfter: Until how long after the first signal another one counts as the same request. If it is
    ///     zero or less, no signal does; then two deliveries that are reported in one call count as two requests.
    ///   - reloadTimeout: How long a handler of a reload may take. After that its Task is cancelled, the handler is
    ///     logged as failed, and the next one is called.
    ///   - watchesStalls: Whether to watch for stalls.
    ///   - snapshotSignal: The signal at which the daemon logs a snapshot of the dispatcher, as several lines. Nil for
    ///     none. While a body holds the loop, it comes to nothing.
    ///   - manager: The service manager. If nil, the one that the environment of this process names.
    ///   - logger: Gets signals, failed reloads, what a shutdown leaves behind, and variables of the environment that
    ///     are meant for another process.
    /// - Throws: ``EnvironmentError`` if the environment makes no sense.
    public convenience init(
      _ dispatcher: Dispatcher, shutdown policy: ShutdownPolicy = ShutdownPolicy(),
      secondSignalAfter: Duration = .seconds(1), reloadTimeout: Duration = .seconds(60),
      watchesStalls: Bool = true, snapshotSignal: Signal? = .user2,
      manager: ServiceManager? = nil, logger: Logger
    ) throws(EnvironmentError) {
      let manager = if let manager { manager } else { try ServiceManager.current() }
      self.init(
        dispatcher, shutdown: policy, secondSignalAfter: secondSignalAfter,
        reloadTimeout: reloadTimeout, watchesStalls: watchesStalls,
        snapshotSignal: snapshotSignal, manager: manager, logger: logger
      ) { manager.send($0) }
    }

    init(
      _ dispatcher: Dispatcher, shutdown policy: ShutdownPolicy,
      secondSignalAfter: Duration = .seconds(1), reloadTimeout: Duration = .seconds(60),
      watchesStalls: Bool = true, snapshotSignal: Signal? = .user2, manager: ServiceManager,
      logger: Logger,
      send: @escaping @Sendable ([ServiceManager.Notification]) -> SendError?
    ) {
      self.dispatcher = dispatcher
      self.policy = policy
      self.secondSignalAfter = secondSignalAfter
      self.snapshotSignal = snapshotSignal
      self.reloadTimeout = reloadTimeout
      self.manager = manager
      self.logger = logger
      teller = Teller(manager, from: dispatcher, logger: logger, send: send)
      firstRequest = Confined(nil, to: dispatcher.foreground)
      for stray in manager.strays { logger.warning("\(stray)") }
      guard let dispatcher = dispatcher as? UVDispatcher else { return }
      surviveBrokenPipes()
      if watchesStalls { watchStalls(of: dispatcher) }
    }

    // MARK: What the service manager hears

    /// Tells the service manager that the daemon is up: a unit of `Type=notify` counts as started from now on. Any
    /// thread.
    ///
    /// - Parameter status: A status to send with it, as ``status(_:)`` does.
    public func ready(_ status: String? = nil) {
      tell("ready", [.ready] + (status.map { [.status($0)] } ?? []))
    }

    /// Sends the service manager one line of status, for people that ask it. Any thread.
    ///
    /// - Parameter text: Ends of lines become spaces, and after 4000 bytes it is cut.
    public func status(_ text: String) { tell("status", [.status(text)]) }

    /// Sends the service manager any other ``ServiceManager/Notification``. Any thread.
    ///
    /// Notifications that are not true any more are left out: that the daemon is ready while it reloads or ends, for
    /// example.
    public func notify(_ notifications: ServiceManager.Notification...) {
      tell("notify", notifications)
    }

    /// Begins to tell the service manager that the loop is alive, if that has asked for it. Any thread, once.
    ///
    /// It does so twice in the time that the service manager allows, as its documentation recommends, until a
    /// shutdown begins. ``run(untilSignals:)``, ``begin(untilSignals:)`` and a `ServiceGroup` call this themselves.
    ///
    /// The dispatcher holds the timer from then on, as it holds the handlers of reloads. They go on if the daemon is
    /// released, and end with the dispatcher.
    public func keepAlive() { teller.keepAlive() }

    /// Sends notifications: at once if the caller is on the foreground, so that they are sent before that goes on.
    private func tell(_ label: String, _ notifications: [ServiceManager.Notification]) {
      if dispatcher.isForeground { return teller.tell(notifications) }
      let notifications = teller.legal(notifications)
      // Submitted as a reply, which no limit refuses.
      let item = WorkItem.make(
        kind: .reply, queue: dispatcher.foreground, label: label,
        site: CallSite(fileID: #fileID, line: #line)
      ) { [teller] in teller.tell(notifications) }
      _ = dispatcher.foreground.implementation.submit(item)
    }

    // MARK: Beginning and ending

    /// Ends the daemon: tells the service manager, runs the handlers, and begins to shut the dispatcher down.
    ///
    /// The handlers are those of ``onEnd(deadline:perform:)``; the shutdown begins once they have run. Returns at
    /// once. Any thread, also while the loop is blocked.
    ///
    /// A later call can only shorten the deadlines, also in the cancel phase, and sends no notification. A call that
    /// leaves no time to drain begins the shutdown at once.
    ///
    /// Do not call `dispatcher.beginShutdown()` instead: the service manager would not know of it. It would get no
    /// sign of life any more, and end the process if the drain takes longer than `WatchdogSec=`.
    ///
    /// - Parameters:
    ///   - reason: For the log and the status.
    ///   - policy: The deadlines. If nil, those of the daemon.
    public func beginShutdown(because reason: String, _ policy: ShutdownPolicy? = nil) {
      let policy = policy ?? self.policy
      let start = endings.begin(policy)
      var longest = Duration.zero
      if case .run(let deadlines) = start {
        longest =
          deadlines.reduce(DispatcherInstant.start) { $0.advanced(by: max(.zero, $1())) }.sinceStart
      }
      teller.tellOfTheEnd(because: reason, policy, after: longest)
      switch start {
      case .run: runEndings(within: longest)
      case .isRunning: break
      case .shutdown(let policies): for policy in policies { dispatcher.beginShutdown(policy) }
      }
    }

    /// Whether a request to end has left no time to drain: the second of two signals, for example. Any thread.
    ///
    /// A program can then leave what it does after ``run(untilSignals:)`` for its next start.
    public var wasCutShort: Bool { endings.wasCutShort }

    /// Makes `signals` ask for the end, and begins to send the service manager signs of life.
    ///
    /// Any thread, once. ``run(untilSignals:)`` does this itself. Call it in a program that runs the loop another
    /// way, by `dispatcher.start()` for example, or in a test on a `RecordingDispatcher`, which raises the signals.
    /// If the calling thread blocks one of the signals, because the program was started so, it is unblocked, and that
    /// is logged.
    ///
    /// It also begins to log a snapshot of the dispatcher at `SIGUSR2`, unless the daemon was told otherwise.
    ///
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for. Nothing is left behind then. If a shutdown
    ///   has begun already, it throws nothing, and the signals have no effect on the daemon.
    public func begin(
      untilSignals signals: [Signal] = [.terminate, .interrupt]
    ) throws(EventRefusal) {
      let forSnapshots = snapshotSignal.map { signals.contains($0) ? [] : [$0] } ?? []
      if dispatcher is UVDispatcher { letIn(signals + forSnapshots) }
      var registered: [Registration] = []
      for signal in signals + forSnapshots {
        do throws(EventRefusal) {
          registered.append(
            try dispatcher.onSignal(signal, label: "\(signal)") { deliveries in
              if signals.contains(signal) { return self.end(because: "\(signal)", deliveries) }
              self.logger.notice("\(self.dispatcher.snapshot())")
            })
        } catch {
          for registration in registered { registration.cancel() }
          // A shutdown has begun already. The loop still has to drain the accepted work, so this is no error.
          if error == .shutDown { return }
          throw error
        }
      }
      keepAlive()
    }

    /// Handles a signal that asks for the end. The first one begins the shutdown. A second request cuts it short,
    /// however far it is: the shutdown cancels what has not started and abandons what runs, and the report names
    /// both. On the foreground.
    ///
    /// - Parameter deliveries: How many deliveries there were since the last call.
    func end(because reason: String, _ deliveries: Int) {
      let now = dispatcher.now
      let before = firstRequest.withValue { first in
        defer { first = first ?? now }
        return first
      }
      if before == nil {
        let ledger = dispatcher.ledger
        // One of the running tasks is this call.
        logger.info(
          "\(reason): shuts down; \(ledger.running - 1) tasks run, \(ledger.waiting) wait")
        beginShutdown(because: reason)
      }
      let isSecond =
        if let before { now >= before.advanced(by: secondSignalAfter) } else {
          deliveries > 1 && secondSignalAfter <= .zero
        }
      if isSecond {
        logger.warning("\(reason), a second request to end: shuts down now")
        beginShutdown(because: reason, ShutdownPolicy(drain: .zero, cancel: .zero))
        return
      }
      let ignored = before == nil ? deliveries - 1 : deliveries
      guard ignored > 0 else { return }
      let since = before.map { " \($0.duration(to: now).shortText) after the first" } ?? ""
      let times = ignored == 1 ? "" : ", \(ignored) times"
      logger.info(
        """
        \(reason) came again\(since)\(times): the same request to end; one that comes \
        \(secondSignalAfter.shortText) after the first means now
        """)
    }

    func log(_ report: ShutdownReport) {
      // Running tasks are as few as the threads, so each is logged. A hundred thousand tasks may never have started.
      for task in report.unfinished where task.state == .abandoned {
        logger.warning("left behind: \(task)")
      }
      let others = report.unfinished.filter { $0.state == .neverStarted }
      if let first = others.first {
        let more = others.count == 1 ? "" : "; \(others.count - 1) more never started"
        logger.warning("left behind: \(first)\(more)")
      }
      if let snapshot = report.snapshot { logger.notice("at the end: \(snapshot)") }
      logger.info("has shut down: \(report.ledger)")
    }
  }
#endif
