#if Daemon
  internal import Logging
  internal import TaskDispatch

  /// Tells the service manager what a daemon has to say, and says it again a little later if there was
  /// no room.
  ///
  /// The dispatcher holds it, in timers and handlers; so it does not hold the dispatcher, and neither of
  /// the two holds a ``Daemon`` that nobody else does.
  final class Teller: Sendable {
    private let manager: ServiceManager
    let logger: Logger
    private let send: @Sendable ([ServiceManager.Notification]) -> SendError?
    private let dispatcher: @Sendable () -> (any TaskDispatcher)?
    private let state = Locked(State())

    private struct State {
      /// Not taken by the service manager yet, whose queue was full.
      var unsent: [ServiceManager.Notification] = []
      var retryIsSet = false
      var endIsTold = false

      /// What waits, with these. The latest of each kind says it all, so it never grows.
      mutating func add(
        _ notifications: [ServiceManager.Notification]
      ) -> [ServiceManager.Notification] {
        for notification in notifications {
          unsent.removeAll { $0.name == notification.name }
          unsent.append(notification)
        }
        return unsent
      }

      /// Whether the end was not told yet. What still waits is not true any more.
      mutating func beginEnd() -> Bool {
        defer { endIsTold = true }
        if !endIsTold { unsent = [] }
        return !endIsTold
      }

      /// Whether nobody had set the retry yet.
      mutating func setRetry() -> Bool {
        defer { retryIsSet = true }
        return !retryIsSet
      }
    }

    init(
      _ manager: ServiceManager, from dispatcher: any TaskDispatcher, logger: Logger,
      send: @escaping @Sendable ([ServiceManager.Notification]) -> SendError?
    ) {
      self.manager = manager
      self.logger = logger
      self.send = send
      self.dispatcher = { [weak dispatcher] in dispatcher }
    }

    /// Whether the daemon is about to end: then it is not ready any more, whatever it was at.
    var endIsTold: Bool { state.withLock { $0.endIsTold } }

    /// Sends notifications, behind those that wait. On the foreground: that is their order.
    func tell(_ notifications: [ServiceManager.Notification]) {
      guard manager.address != nil else { return }
      let unsent = state.withLock { $0.add(notifications) }
      guard let error = send(unsent) else { return state.withLock { $0.unsent = [] } }
      guard error.mayPass else {
        state.withLock { $0.unsent = [] }
        return logger.warning("\(error)")
      }
      guard let dispatcher = dispatcher(), state.withLock({ $0.setRetry() }) else { return }
      dispatcher.foreground.after(.milliseconds(100), label: "notify again") { self.tellAgain() }
    }

    private func tellAgain() {
      state.withLock { $0.retryIsSet = false }
      tell([])
    }

    /// Tells that the daemon is alive, twice in the time that the service manager grants, until a
    /// shutdown begins. Any thread.
    func keepAlive() {
      guard manager.address != nil, let timeout = manager.watchdogTimeout,
        let dispatcher = dispatcher()
      else { return }
      dispatcher.foreground.every(timeout / 2, label: "watchdog") { self.tell([.watchdog]) }
    }

    /// Tells that the daemon ends, which may take as long as `policy` says; once, since whoever asks
    /// later can only shorten it. Any thread, and at once: a task could be cancelled by what it tells of.
    func tellOfTheEnd(because reason: String, _ policy: ShutdownPolicy) {
      guard state.withLock({ $0.beginEnd() }), manager.address != nil else { return }
      let error = send([
        .stopping, .status("shuts down: \(reason)"),
        // As long as it takes, and some time to leave: the unit's own may be shorter.
        .extendTimeout(
          DispatcherInstant.start.advanced(by: policy.drain).advanced(by: policy.cancel)
            .advanced(by: .seconds(5)).sinceStart),
      ])
      if let error { logger.warning("\(error)") }
    }
  }
#endif
