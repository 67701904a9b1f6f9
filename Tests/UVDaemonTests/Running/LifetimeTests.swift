#if Daemon
  import Logging
  import MetricsTestKit
  import TaskDispatch
  import Testing
  import UVDispatch

  import TaskDispatchTesting
  import TestSupport
  @testable import UVDaemon

  @Suite("Nothing is kept alive")
  struct LifetimeTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A dispatcher of each kind, on which nothing has run.
    private static let dispatchers: [@Sendable () throws -> any EventDispatcher] = [
      { RecordingDispatcher(.init(leftovers: .ignore)) }, { try UVDispatcher() },
    ]

    private func manager() throws -> ServiceManager {
      try ServiceManager(process: 7) {
        ["NOTIFY_SOCKET": "/nonexistent/manager", "WATCHDOG_USEC": "1000000"][$0]
      }
    }

    @Test("by a sampling: it ends with its dispatcher", arguments: dispatchers.indices)
    func sampling(_ index: Int) throws {
      let metrics = TestMetrics()
      let observer = MetricsObserver(dispatcher: "d", factory: metrics)
      weak var leftover: (any EventDispatcher)?
      do {
        let dispatcher = try Self.dispatchers[index]()
        leftover = dispatcher
        observer.sample(dispatcher, every: .seconds(1))
      }
      #expect(leftover == nil)
    }

    @Test("by a sampling that has sampled")
    func samplingAtWork() throws {
      let metrics = TestMetrics()
      let observer = MetricsObserver(dispatcher: "d", factory: metrics)
      weak var leftover: RecordingDispatcher?
      do {
        let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
        leftover = dispatcher
        observer.sample(dispatcher, every: .seconds(1))
        try dispatcher.advanceTime(by: .seconds(3))
      }
      #expect(leftover == nil)
      #expect(metrics.timers(label: "task_dispatch_loop_delay").map(\.values.count) == [3])
    }

    @Test("by a daemon that never ran", arguments: dispatchers.indices)
    func daemon(_ index: Int) throws {
      func make<Dispatcher: EventDispatcher>(_ dispatcher: Dispatcher) throws -> AnyObject {
        let daemon = try Daemon(dispatcher, manager: manager(), logger: logger)
        daemon.keepAlive()
        try daemon.onReload {}
        try daemon.onReload {}
        daemon.ready("waits")
        return daemon
      }
      weak var leftDispatcher: (any EventDispatcher)?
      weak var leftDaemon: AnyObject?
      do {
        let dispatcher = try Self.dispatchers[index]()
        leftDispatcher = dispatcher
        leftDaemon = try make(dispatcher)
      }
      #expect(leftDaemon == nil)
      // The thread that watches for stalls holds the dispatcher while it looks.
      let end = ContinuousClock.now + patience
      while leftDispatcher != nil, ContinuousClock.now < end { giveWay() }
      #expect(leftDispatcher == nil)
    }

    @Test("by a daemon that waits for room at the service manager")
    func noRoom() throws {
      weak var leftover: RecordingDispatcher?
      do {
        let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
        leftover = dispatcher
        let daemon = Daemon(
          dispatcher, shutdown: .init(), manager: try manager(), logger: logger
        ) { _ in SendError(address: "", code: 11) }
        daemon.ready()
        #expect(dispatcher.nextDeadline != nil)
      }
      #expect(leftover == nil)
    }

    @Test("by a handler of reloads that holds the daemon, once a shutdown is over")
    func handler() throws {
      weak var leftDaemon: Daemon<UVDispatcher>?
      weak var leftDispatcher: UVDispatcher?
      do {
        let dispatcher = try UVDispatcher()
        leftDispatcher = dispatcher
        let daemon = try Daemon(dispatcher, manager: manager(), logger: logger)
        leftDaemon = daemon
        try daemon.onReload { daemon.status("reloads") }
        try daemon.onReload(.user1) { daemon.status("reopens") }
        dispatcher.beginShutdown()
        dispatcher.run()
        #expect(throws: EventRefusal.shutDown) { try daemon.onReload {} }
      }
      #expect(leftDaemon == nil)
      // The thread that watches for stalls holds the dispatcher while it looks.
      let end = ContinuousClock.now + patience
      while leftDispatcher != nil, ContinuousClock.now < end { giveWay() }
      #expect(leftDispatcher == nil)
    }

    @Test("and what a daemon has begun goes on without it, as long as its dispatcher does")
    func goesOn() throws {
      let dispatcher = RecordingDispatcher()
      let told = Box([String]())
      let reloads = Box(0)
      weak var leftover: Daemon<RecordingDispatcher>?
      do {
        let daemon = Daemon(
          dispatcher, shutdown: .init(), manager: try manager(), logger: logger
        ) { notifications in
          told.change { $0 += notifications.map { String($0.name) } }
          return nil
        }
        leftover = daemon
        daemon.keepAlive()
        daemon.ready()
        try daemon.onReload { reloads.increment() }
      }
      #expect(leftover == nil)

      try dispatcher.advanceTime(by: .milliseconds(500))
      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(told.value == ["READY", "WATCHDOG", "RELOADING", "READY", "STATUS"])
      #expect(reloads.value == 1)
      dispatcher.beginShutdown()
      try dispatcher.runUntilIdle()
      try dispatcher.finish()
    }
  }
#endif
