#if Daemon
  public import Logging
  public import UVDispatch

  /// Ties a dispatcher to what a daemon lives in: signals that ask it to end or to read its
  /// configuration again, and the service manager that wants to know how it is.
  ///
  /// ```swift
  /// let logger = Logger(label: "spoold")
  /// let dispatcher = try UVDispatcher(.init(label: "spoold", observer: LoggingObserver(logger)))
  /// let daemon = try Daemon(dispatcher, logger: logger)
  /// try daemon.onReload { try await configuration.reload() }        // SIGHUP
  /// dispatcher.foreground { listen(); daemon.ready("listens") }
  /// let report = try daemon.run()                                   // until SIGTERM or SIGINT
  /// ```
  ///
  /// The first of the signals begins a shutdown, which drains; a second one means *now*: what has not
  /// started is cancelled, and nobody waits for what runs, in the drain and in the cancel phase after
  /// it. One that comes within a second of the first is none: a supervisor may pass one request on twice,
  /// or send two signals for it. Each that is ignored is logged. When the shutdown is over the signals do
  /// again what they did before. While a body holds the loop, none of them does anything: that is what a
  /// watchdog is for.
  ///
  /// The service manager is told from the loop, ``ServiceManager/Notification/watchdog`` too: a loop
  /// that is stuck tells it nothing any more, and the process is restarted. Without a service manager
  /// that is left out, and everything else is the same.
  ///
  /// The logic is the dispatcher's own: a test that hands in a `RecordingDispatcher` raises the signals
  /// and steps what they cause.
  public final class Daemon<Dispatcher: EventDispatcher>: Sendable {
    public let dispatcher: Dispatcher
    public let manager: ServiceManager
    let policy: ShutdownPolicy
    private let secondSignalAfter: Duration
    let reloadTimeout: Duration
    let logger: Logger
    let teller: Teller
    let listening = Locked(Listening())
    let endings = Endings()
    /// When the first signal has asked it to end.
    private let firstRequest: Confined<DispatcherInstant?>

    /// - Parameters:
    ///   - policy: How long the shutdown takes that a signal begins.
    ///   - secondSignalAfter: How long after the first signal another one is the same request. Zero or less: none is,
    ///     nor are two that are told in one call.
    ///   - reloadTimeout: How long a handler of a reload may take. After that it is logged as one that has failed, its
    ///     Task is cancelled, and the next is called.
    ///   - manager: The service manager; that of this process's environment if nil.
    ///   - logger: Told of signals, of reloads that have failed, of what a shutdown leaves behind, and of what the
    ///     environment has for another process.
    /// - Throws: ``EnvironmentError`` if the environment makes no sense.
    public convenience init(
      _ dispatcher: Dispatcher, shutdown policy: ShutdownPolicy = ShutdownPolicy(),
      secondSignalAfter: Duration = .seconds(1), reloadTimeout: Duration = .seconds(60),
      manager: ServiceManager? = nil, logger: Logger
    ) throws(EnvironmentError) {
      let manager = if let manager { manager } else { try ServiceManager.current() }
      self.init(
        dispatcher, shutdown: policy, secondSignalAfter: secondSignalAfter,
        reloadTimeout: reloadTimeout, manager: manager, logger: logger
      ) { manager.send($0) }
    }

    init(
      _ dispatcher: Dispatcher, shutdown policy: ShutdownPolicy,
      secondSignalAfter: Duration = .seconds(1), reloadTimeout: Duration = .seconds(60),
      manager: ServiceManager, logger: Logger,
      send: @escaping @Sendable ([ServiceManager.Notification]) -> SendError?
    ) {
      self.dispatcher = dispatcher
      self.policy = policy
      self.secondSignalAfter = secondSignalAfter
      self.reloadTimeout = reloadTimeout
      self.manager = manager
      self.logger = logger
      teller = Teller(manager, from: dispatcher, logger: logger, send: send)
      firstRequest = Confined(nil, to: dispatcher.foreground)
      for stray in manager.strays { logger.warning("\(stray)") }
      if dispatcher is UVDispatcher { surviveBrokenPipes() }
    }

    // MARK: What the service manager hears

    /// Says that the daemon is up: a unit of `Type=notify` counts as started from now on. Any thread.
    ///
    /// - Parameter status: As of ``status(_:)``.
    public func ready(_ status: String? = nil) {
      tell("ready", [.ready] + (status.map { [.status($0)] } ?? []))
    }

    /// Says in one line how the daemon is, for people who ask the service manager. Any thread.
    public func status(_ text: String) { tell("status", [.status(text)]) }

    /// Says anything else that ``ServiceManager/Notification`` has words for. Any thread.
    public func notify(_ notifications: ServiceManager.Notification...) {
      tell("notify", notifications)
    }

    /// Begins to say that the loop is alive, if the service manager wants to know: twice in the time
    /// that it grants, as its documentation recommends, until a shutdown begins. Any thread, once; not
    /// needed with ``run(untilSignals:)`` or in a `ServiceGroup`.
    ///
    /// It is the dispatcher's from then on, as the handlers of reloads are: both go on if the daemon is
    /// let go of, and end with the dispatcher.
    public func keepAlive() { teller.keepAlive() }

    /// Does it now if the caller is on the foreground, so that it is said before that goes on.
    private func tell(_ label: String, _ notifications: [ServiceManager.Notification]) {
      if dispatcher.isForeground { return teller.tell(notifications) }
      let notifications = teller.legal(notifications)
      // As a reply, which no limit refuses.
      let item = WorkItem.make(
        kind: .reply, queue: dispatcher.foreground, label: label,
        site: CallSite(fileID: #fileID, line: #line)
      ) { [teller] in teller.tell(notifications) }
      _ = dispatcher.submit(item)
    }

    // MARK: Beginning and ending

    /// Tells the service manager that the daemon stops, and begins to shut the dispatcher down, once what
    /// ``onEnd(deadline:perform:)`` has registered has run. Any thread, also while the loop is blocked.
    ///
    /// A later call can only shorten the deadlines, also in the cancel phase, and is not told again. One that leaves no
    /// time to drain begins the shutdown at once.
    ///
    /// Rather than `dispatcher.beginShutdown()`, of which the service manager hears nothing: the signs
    /// of life end, and if the drain takes longer than `WatchdogSec=` it would end the process.
    ///
    /// - Parameter policy: That of the daemon if nil.
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

    /// Whether a request to end has left no time to drain: the second of two signals, for example. What a program
    /// does after ``run(untilSignals:)`` can then be left for its next start. Any thread.
    public var wasCutShort: Bool { endings.wasCutShort }

    /// Lets `signals` ask for the end, and begins to tell the service manager that the daemon is alive. Any thread,
    /// once.
    ///
    /// ``run(untilSignals:)`` does this itself. It is for a program that runs the loop another way, by
    /// `dispatcher.start()` for example, and for a test on a `RecordingDispatcher`, which raises the signals. A signal
    /// of those that the calling thread blocks, as one does that was started so, is let in, and that is logged.
    ///
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for. Nothing is left behind then.
    public func begin(
      untilSignals signals: [Signal] = [.terminate, .interrupt]
    ) throws(EventRefusal) {
      if dispatcher is UVDispatcher { letIn(signals) }
      var registered: [Registration] = []
      for signal in signals {
        do throws(EventRefusal) {
          registered.append(
            try dispatcher.onSignal(signal, label: "\(signal)") { deliveries in
              self.end(because: "\(signal)", deliveries)
            })
        } catch {
          for registration in registered { registration.cancel() }
          // A shutdown has begun before: what was accepted is to be drained all the same.
          if error == .shutDown { return }
          throw error
        }
      }
      keepAlive()
    }

    /// Begins the shutdown, or cuts it short if that is a second request, whatever it is at: what has not
    /// started is cancelled, what runs is abandoned, and the report names both. On the foreground.
    ///
    /// - Parameter deliveries: How many there were since the last time.
    func end(because reason: String, _ deliveries: Int) {
      let now = dispatcher.now
      let before = firstRequest.withValue { first in
        defer { first = first ?? now }
        return first
      }
      if before == nil {
        let ledger = dispatcher.ledger
        // One of those that run is this.
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
      // Those that run are as few as the threads. What never started may be a hundred thousand.
      for task in report.unfinished where task.state == .abandoned {
        logger.warning("left behind: \(task)")
      }
      let others = report.unfinished.filter { $0.state == .neverStarted }
      if let first = others.first {
        let more = others.count == 1 ? "" : "; \(others.count - 1) more never started"
        logger.warning("left behind: \(first)\(more)")
      }
      logger.info("has shut down: \(report.ledger)")
    }
  }
#endif
