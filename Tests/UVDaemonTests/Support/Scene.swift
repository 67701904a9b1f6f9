#if Daemon
  import TestSupport
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  /// A daemon on the fake, a service manager that notes what it hears, and a log.
  struct Scene {
    let dispatcher: RecordingDispatcher
    let daemon: Daemon<RecordingDispatcher>
    private let heard = Box([[String]]())
    private let refusals = Box([CInt]())
    private let log = InMemoryLogHandler()

    /// - Parameter isReady: Whether the daemon has already said that it is ready. The scene then leaves that
    ///   notification out.
    init(
      isReady: Bool = true, _ variables: [String: String] = ["NOTIFY_SOCKET": "/run/manager"],
      shutdown policy: ShutdownPolicy = ShutdownPolicy(), secondSignalAfter: Duration = .seconds(1),
      reloadTimeout: Duration = .seconds(60), overflow: Overflow = .unbounded
    ) throws {
      dispatcher = RecordingDispatcher(.init(overflow: overflow))
      let manager = try ServiceManager(process: 7) { variables[$0] }
      var logger = Logger(label: "test") { [log] _ in log }
      logger.logLevel = .info
      let (heard, refusals) = (heard, refusals)
      daemon = Daemon(
        dispatcher, shutdown: policy, secondSignalAfter: secondSignalAfter,
        reloadTimeout: reloadTimeout, manager: manager,
        logger: logger
      ) { notifications in
        let refusal = refusals.change { $0.isEmpty ? nil : $0.removeFirst() }
        if let refusal { return SendError(address: "/run/manager", code: refusal) }
        heard.change { $0.append(notifications.map(\.assignment)) }
        return nil
      }
      if isReady {
        daemon.ready()
        heard.value = []
      }
    }

    /// The notifications that the service manager has heard, in order.
    var notifications: [String] { heard.value.flatMap { $0 } }

    /// The notifications that the service manager has heard, grouped by the datagrams in which they came.
    var datagrams: [[String]] { heard.value }

    var messages: [String] { log.entries.map { "\($0.level): \($0.message)" } }

    /// Lets the next notifications fail with these error numbers, one after the other.
    func refuse(_ codes: CInt...) { refusals.change { $0 += codes } }

    /// Ends the dispatcher. Throws if anything is left.
    func finish() throws {
      if dispatcher.report == nil {
        dispatcher.beginShutdown()
        try dispatcher.runUntilIdle()
      }
      try dispatcher.finish()
    }
  }
#endif
