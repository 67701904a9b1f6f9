#if Daemon
  internal import Logging
  internal import TaskDispatch
  internal import UVDispatch

  /// Sends a daemon's notifications to the service manager, in an order that it understands. Sends them again a
  /// little later if there was no room.
  ///
  /// Each notification is a datagram of its own: a service manager drops a long one whole, and a status may be long.
  ///
  /// The dispatcher holds it, in timers and handlers, so it does not hold the dispatcher. Neither of the two keeps a
  /// ``Daemon`` that no other object holds.
  final class Teller: Sendable {
    typealias Notification = ServiceManager.Notification

    private static let retryInterval = Duration.milliseconds(100)

    private let manager: ServiceManager
    let logger: Logger
    private let send: @Sendable ([Notification]) -> SendError?
    private let dispatcher: @Sendable () -> (any TaskDispatcher)?
    private let state = Locked(State())
    /// Held while a notification is sent. The notifications of the end are sent under it too, so none that the end
    /// makes untrue can arrive after them.
    private let sending = Locked(())

    private struct State {
      /// Notifications that wait to be sent. The queue of the service manager may be full.
      var unsent: [Notification] = []
      var retryIsSet = false
      var endIsTold = false
      /// The notifications of the end that were not sent yet, one datagram each.
      var untoldEnd: [[Notification]] = []
      /// The service manager was told that the daemon is ready. A reload before that is not reported.
      var isReady = false
      /// The service manager was told of a reload. It is told that the daemon is ready again when all handlers have
      /// ended.
      var isReloading = false
      /// Why notifications do not reach the service manager, if that was logged.
      var lastError: CInt?

      /// Adds the notifications that are true now. A later one of a kind replaces an earlier one, so the list does
      /// not grow.
      mutating func add(_ notifications: [Notification]) {
        for notification in notifications where isLegal(notification) {
          unsent.removeAll { $0.name == notification.name }
          unsent.append(notification)
          if case .ready = notification { isReady = true }
        }
      }

      /// Whether a notification is true now. A daemon is ready until it stops, and again at the end of a reload.
      func isLegal(_ notification: Notification) -> Bool {
        switch notification {
        case .ready: !endIsTold && !isReloading
        case .reloading: !endIsTold && !isReloading && isReady
        case .stopping: !endIsTold
        case .status, .extendTimeout, .watchdog: true
        }
      }

      /// - Returns: False if the daemon is about to end: then no reload begins.
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

      /// Begins the end, and drops what was not sent yet: it is not true any more.
      ///
      /// - Returns: False if the end has begun before.
      mutating func beginEnd() -> Bool {
        defer { endIsTold = true }
        if !endIsTold { unsent = [] }
        return !endIsTold
      }

      /// Notes that a retry is set.
      ///
      /// - Returns: False if one was set already.
      mutating func setRetry() -> Bool {
        defer { retryIsSet = true }
        return !retryIsSet
      }

      /// Notes the result of sending. An error that may pass changes nothing.
      ///
      /// - Returns: Whether it differs from the last result.
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

    /// Whether the daemon was asked to end: then it is not ready any more, whatever else it does.
    var endIsTold: Bool { state.withLock { $0.endIsTold } }

    /// The notifications that are true now. Any thread.
    ///
    /// A thread that sends a notification in the middle of a reload checks here first: when the foreground comes to
    /// the notification, the reload may be over.
    func legal(_ notifications: [Notification]) -> [Notification] {
      state.withLock { state in notifications.filter { state.isLegal($0) } }
    }

    /// Sends notifications behind those that wait, and leaves out those that are not true. On the foreground, which
    /// gives them their order.
    func tell(_ notifications: [Notification]) {
      state.withLock { $0.add(notifications) }
      sendAll()
    }

    /// Tells the service manager that a reload begins. On the foreground.
    ///
    /// - Returns: False if the daemon was asked to end: then nothing is sent.
    func tellOfReload() -> Bool {
      guard state.withLock({ $0.beginReload() }) else { return false }
      sendAll()
      return true
    }

    /// Tells the service manager that the reload has ended, with a status. On the foreground.
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

    /// Handles a failed attempt to send. An error that passes sets a retry. Any other error is logged once for each
    /// reason, since a watchdog would repeat it with each of its notifications.
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

    /// Tells the service manager that the daemon is alive, twice in the time that it allows, until a shutdown begins.
    /// Any thread.
    func keepAlive() {
      guard manager.address != nil, let timeout = manager.watchdogTimeout,
        let dispatcher = dispatcher()
      else { return }
      dispatcher.foreground.every(timeout / 2, label: "watchdog") { self.tell([.watchdog]) }
    }

    /// Tells the service manager that the daemon ends, and how long that may take by `policy`. Once: a later call
    /// could only shorten it. Any thread, and at once, since the shutdown that it reports could cancel a task.
    ///
    /// - Parameter longest: How long the handlers before the shutdown may take.
    func tellOfTheEnd(
      because reason: String, _ policy: ShutdownPolicy, after longest: Duration = .zero
    ) {
      guard state.withLock({ $0.beginEnd() }), manager.address != nil else { return }
      // How long the end takes, and some time to leave the process: the time that the unit allows may be shorter.
      let time = DispatcherInstant.start.advanced(by: longest).advanced(by: policy.drain)
        .advanced(by: policy.cancel)
        .advanced(by: .seconds(5)).sinceStart
      state.withLock { state in
        state.untoldEnd = [[.stopping, .extendTimeout(time)], [.status("shuts down: \(reason)")]]
      }
      sendEnd(until: monotonicNanoseconds().addingClamped(time.clampedNanoseconds))
    }

    /// Sends the notifications of the end. If there was no room, a thread of its own sends them again a little later:
    /// the shutdown cancels timers. A fake has no real time for that, so there it is not done.
    ///
    /// - Parameter end: Until when to try, in nanoseconds of the monotonic clock.
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
