#if Daemon
  import TestSupport
  import Foundation
  import Logging
  import ServiceLifecycle
  import TaskDispatch
  import Testing
  import UVDispatch

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("In a group of services")
  struct ServiceGroupTests {
    /// Runs until it is asked to end, and notes that.
    private struct Other: Service {
      let name: String
      let notes: Box<[String]>
      let started: Latch
      let ended = Latch()

      func run() async throws {
        started.open()
        try? await gracefulShutdown()
        notes.change { $0.append(Task.isCancelled ? "\(name) cancelled" : "\(name) ended") }
        ended.open()
      }
    }

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("a graceful shutdown drains, in the order of the group", .timeLimit(.minutes(10)))
    func drains() async throws {
      let notes = Box([String]())
      let started = Latch(2)
      let gate = Latch()
      let dispatcher = try UVDispatcher()
      let daemon = try Daemon(dispatcher, manager: .absent, logger: logger)
      let last = Other(name: "last", notes: notes, started: started)
      let group = ServiceGroup(
        services: [Other(name: "first", notes: notes, started: started), daemon, last],
        logger: logger)
      dispatcher.background.async(label: "long") {
        _ = gate.wait(patienceWithTasks)
        notes.change { $0.append("long") }
        // What a body submits during the drain is accepted.
        dispatcher.foreground { notes.change { $0.append("its answer") } }
      }
      let running = Task { try await group.run() }
      await onOtherThread { _ = started.wait(patienceWithTasks) }

      await group.triggerGracefulShutdown()
      // The last service ends first. Only then is the daemon asked to end.
      await onOtherThread { _ = last.ended.wait(patienceWithTasks) }
      gate.open()
      try await running.value

      #expect(notes.value == ["last ended", "long", "its answer", "first ended"])
      let report = try #require(dispatcher.report)
      #expect(report.unfinished.isEmpty && report.ledger.balances)
    }

    @Test("what a drain cannot end is given up when its time is over", .timeLimit(.minutes(10)))
    func deadline() async throws {
      let gate = Latch()
      let notes = Box([String]())
      let started = Latch(2)
      let dispatcher = try UVDispatcher()
      let daemon = try Daemon(
        dispatcher, shutdown: .init(drain: .milliseconds(20), cancel: .milliseconds(20)),
        manager: .absent, logger: logger)
      let group = ServiceGroup(
        services: [
          Other(name: "first", notes: notes, started: started), daemon,
          Other(name: "last", notes: notes, started: started),
        ], logger: logger)
      let isStuck = Latch()
      dispatcher.background.async(label: "stuck") {
        isStuck.open()
        _ = gate.wait(patienceWithTasks)
      }
      let running = Task { try await group.run() }
      await onOtherThread { _ = started.wait(patienceWithTasks) && isStuck.wait(patienceWithTasks) }

      await group.triggerGracefulShutdown()
      try await running.value

      #expect(dispatcher.report?.unfinished.map(\.label) == ["stuck"])
      #expect(dispatcher.report?.unfinished.first?.state == .abandoned)
      #expect(notes.value == ["last ended", "first ended"])
      gate.open()
    }

    @Test("cancelling it cancels what has not started", .timeLimit(.minutes(10)))
    func cancelled() async throws {
      let notes = Box([String]())
      let started = Latch(1)
      let dispatcher = try UVDispatcher()
      let daemon = try Daemon(
        dispatcher, shutdown: .init(drain: .seconds(3600), cancel: .seconds(20)),
        manager: .absent, logger: logger)
      let group = ServiceGroup(
        services: [Other(name: "other", notes: notes, started: started), daemon], logger: logger)
      let isRunning = Latch()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view.async(label: "running") {
        isRunning.open()
        // The body ends when it is asked to stop.
        while !CurrentTask.isCancelled {}
        notes.change { $0.append("stopped") }
      }
      view.async(label: "never") { notes.change { $0.append("never") } }
      let running = Task { try await group.run() }
      await onOtherThread {
        _ = started.wait(patienceWithTasks) && isRunning.wait(patienceWithTasks)
      }

      running.cancel()
      _ = await running.result

      #expect(Set(notes.value) == ["stopped", "other cancelled"])
      #expect(dispatcher.report?.unfinished.map(\.label) == ["never"])
    }

    @Test("a dispatcher that its own task shuts down ends its service", .timeLimit(.minutes(10)))
    func endsByItself() async throws {
      let dispatcher = try UVDispatcher()
      let daemon = try Daemon(dispatcher, manager: .absent, logger: logger)
      let group = ServiceGroup(
        configuration: .init(
          services: [.init(service: daemon, successTerminationBehavior: .gracefullyShutdownGroup)],
          logger: logger))
      dispatcher.foreground { dispatcher.beginShutdown() }

      try await group.run()

      #expect(dispatcher.report != nil)
    }

    @Test("the service manager hears that it stops", .timeLimit(.minutes(10)))
    func told() async throws {
      let socket = ManagerSocket()
      let dispatcher = try UVDispatcher()
      let daemon = try Daemon(dispatcher, manager: try socket.manager(), logger: logger)
      let group = ServiceGroup(services: [daemon], logger: logger)
      let isReady = Latch()
      dispatcher.foreground {
        daemon.ready()
        isReady.open()
      }
      let running = Task { try await group.run() }
      await onOtherThread { _ = isReady.wait(patienceWithTasks) }

      await group.triggerGracefulShutdown()
      try await running.value

      let heard = socket.received()
      #expect(heard.first == "READY=1")
      #expect(heard.dropFirst().first?.hasPrefix("STOPPING=1\nEXTEND_TIMEOUT_USEC=") == true)
      #expect(heard.last == "STATUS=shuts down: graceful shutdown")
      #expect(heard.count == 3)
    }
  }
#endif
