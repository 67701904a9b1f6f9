#if Daemon
  internal import Logging
  internal import TaskDispatch
  internal import UVDispatch

  /// Tells the service manager what a daemon has to say, in an order that it understands, and says it again a little
  /// later if there was no room.
  ///
  /// Each notification is a datagram of its own: a service manager drops a long one whole, and a status may be long.
  ///
  /// The dispatcher holds it, in timers and handlers; so it does not hold the dispatcher, and neither of
  /// the two holds a ``Daemon`` that nothing else does.
  final class Teller: Sendable {
    typealias Notification = ServiceManager.Notification

    private static let retryInterval = Duration.milliseconds(100)

    private let manager: ServiceManager
    let logger: Logger
    private let send: @Sendable ([Notification]) -> SendError?
    private let dispatcher: @Sendable () -> (any TaskDispatcher)?
    private let state = Locked(State())
    /// Held while something is sent: nothing that the end makes untrue may be on its way then.
    private let sending = Locked(())

    private struct State {
      /// Not taken by the service manager yet, whose queue was full.
      var unsent: [Notification] = []
      var retryIsSet = false
      var endIsTold = false
      /// What the end has to say, until the service manager has it.
      var untoldEnd: [[Notification]] = []
      /// It was told to be ready. A reload before that makes it none.
      var isReady = false
      /// A reload was told of: the daemon tells that it is ready again when all handlers have ended.
      var isReloading = false
      /// Why none reaches the service manager, if it was logged.
      var lastError: CInt?

      /// Adds what may be said now. The latest of each kind says it all, so it never grows.
      mutating func add(_ notifications: [Notification]) {
        for notification in notifications where isLegal(notification) {
          unsent.removeAll { $0.name == notification.name }
          unsent.append(notification)
          if case .ready = notification { isReady = true }
        }
      }

      /// Ready is what a daemon is until it stops, and what it is again at the end of a reload.
      func isLegal(_ notification: Notification) -> Bool {
        switch notification {
        case .ready: !endIsTold && !isReloading
        case .reloading: !endIsTold && !isReloading && isReady
        case .stopping: !endIsTold
        case .status, .extendTimeout, .watchdog: true
        }
      }

      mutating func beginReload() -> Bool {
        guard !endIsTold else { return false }
        if isReady {
          add([.reloading])
          isReloading = true
        }
        return true
      }

      mutating func endReload(_ status: String) {
        if isReloading {
          isReloading = false
          add([.ready])
        }
        add([.status(status)])
      }

      /// Whether the end was not told yet. What still waits is not true any more.
      mutating func beginEnd() -> Bool {
        defer { endIsTold = true }
        if !endIsTold { unsent = [] }
        return !endIsTold
      }

      /// Whether there was no retry yet.
      mutating func setRetry() -> Bool {
        defer { retryIsSet = true }
        return !retryIsSet
      }

      /// What the service manager has answered.
      ///
      /// - Returns: Whether it had answered something else the last time.
      mutating func note(_ error: SendError?) -> Bool {
        if error?.mayPass == true { return false }
        defer { lastError = error?.code }
        return lastError != error?.code
      }
    }

    init(
      _ manager: ServiceManager, from dispatcher: any TaskDispatcher, logger: Logger,
      send: @escaping @Sendable ([Notification]) -> SendError?
    ) {
      self.manager = manager
      self.logger = logger
      self.send = send
      self.dispatcher = { [weak dispatcher] in dispatcher }
    }

    /// Whether the daemon is about to end: then it is not ready any more, whatever it was at.
    var endIsTold: Bool { state.withLock { $0.endIsTold } }

    /// Those of `notifications` that would be true now. Any thread.
    ///
    /// What is said in the middle of a reload is asked here, too: on the foreground the reload may be over.
    func legal(_ notifications: [Notification]) -> [Notification] {
      state.withLock { state in notifications.filter { state.isLegal($0) } }
    }

    /// Sends notifications, behind those that wait; not those that would be untrue. On the foreground: that is their
    /// order.
    func tell(_ notifications: [Notification]) {
      state.withLock { $0.add(notifications) }
      sendAll()
    }

    /// On the foreground. False, and nothing is said, if the end was told.
    func tellOfReload() -> Bool {
      guard state.withLock({ $0.beginReload() }) else { return false }
      sendAll()
      return true
    }

    /// On the foreground.
    func tellOfReloadsEnd(_ status: String) {
      state.withLock { $0.endReload(status) }
      sendAll()
    }

    private func sendAll() {
      guard manager.address != nil else { return state.withLock { $0.unsent = [] } }
      while true {
        let result = sending.withLock { _ -> (error: SendError?, isNew: Bool)? in
          guard let next = state.withLock({ $0.unsent.first }) else { return nil }
          let error = send([next])
          return state.withLock { state in
            if error == nil { state.unsent.removeFirst() }
            return (error, state.note(error))
          }
        }
        guard let (error, isNew) = result else { return }
        if let error { return failed(error, isNew) }
        if isNew { logger.info("notifications reach the service manager again") }
      }
    }

    /// Once for each reason: a watchdog would say it again with each beat.
    private func failed(_ error: SendError, _ isNew: Bool) {
      guard error.mayPass else {
        state.withLock { $0.unsent = [] }
        if isNew { logger.warning("\(error)") }
        return
      }
      guard let dispatcher = dispatcher(), state.withLock({ $0.setRetry() }) else { return }
      dispatcher.foreground.after(Self.retryInterval, label: "notify again") { self.tellAgain() }
    }

    private func tellAgain() {
      state.withLock { $0.retryIsSet = false }
      sendAll()
    }

    /// Tells that the daemon is alive, twice in the time that the service manager grants, until a
    /// shutdown begins. Any thread.
    func keepAlive() {
      guard manager.address != nil, let timeout = manager.watchdogTimeout,
        let dispatcher = dispatcher()
      else { return }
      dispatcher.foreground.every(timeout / 2, label: "watchdog") { self.tell([.watchdog]) }
    }

    /// Tells that the daemon ends, which may take as long as `policy` says; once, since a later call can only shorten
    /// it. Any thread, and at once: a task could be cancelled by what it tells of.
    ///
    /// - Parameter longest: How long what comes before the shutdown may take.
    func tellOfTheEnd(
      because reason: String, _ policy: ShutdownPolicy, after longest: Duration = .zero
    ) {
      guard state.withLock({ $0.beginEnd() }), manager.address != nil else { return }
      // As long as it takes, and some time to leave: the unit's own may be shorter.
      let time = DispatcherInstant.start.advanced(by: longest).advanced(by: policy.drain)
        .advanced(by: policy.cancel)
        .advanced(by: .seconds(5)).sinceStart
      state.withLock { state in
        state.untoldEnd = [[.stopping, .extendTimeout(time)], [.status("shuts down: \(reason)")]]
      }
      sendEnd(until: monotonicNanoseconds().addingClamped(time.clampedNanoseconds))
    }

    /// Says what the end has to say, and again a little later if there was no room: on a thread of its own, since a
    /// shutdown cancels timers. A fake has no time for that.
    ///
    /// - Parameter end: Until when, in nanoseconds of the monotonic clock.
    private func sendEnd(until end: Int64) {
      let error = sending.withLock { _ -> SendError? in
        while let next = state.withLock({ $0.untoldEnd.first }) {
          if let error = send(next) { return error }
          state.withLock { _ = $0.untoldEnd.removeFirst() }
        }
        return nil
      }
      guard let error else { return }
      let time = monotonicNanoseconds().addingClamped(Self.retryInterval.clampedNanoseconds)
      guard error.mayPass, time < end, dispatcher() is UVDispatcher else {
        return logger.warning("\(error)")
      }
      do throws(UVError) {
        try ShutdownDeadline().start(named: "notify", at: time) { self.sendEnd(until: end) }
      } catch {
        logger.warning("what the service manager has no room for is not said again: \(error)")
      }
    }
  }
#endif
