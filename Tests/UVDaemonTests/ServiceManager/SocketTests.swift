#if Daemon
  import TestSupport
  import Glibc
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import Testing
  import UVDispatch

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("At the socket of the service manager")
  struct SocketTests {
    private let log = InMemoryLogHandler()

    @Test("notifications arrive, those of one call in one datagram", arguments: [false, true])
    func arrive(abstract: Bool) throws {
      let socket = ManagerSocket(abstract: abstract)
      let manager = try socket.manager()

      #expect(manager.send([.ready, .status("up and running")]) == nil)
      #expect(manager.send([.reloading(sinceMicroseconds: 12)]) == nil)
      #expect(manager.send([]) == nil)

      #expect(
        socket.received() == ["READY=1\nSTATUS=up and running", "RELOADING=1\nMONOTONIC_USEC=12"])
    }

    @Test("an address at which no process listens is an error and not a trap")
    func noListener() throws {
      let manager = try ServiceManager(process: 1) {
        $0 == "NOTIFY_SOCKET" ? "/nonexistent/socket" : nil
      }

      let error = try #require(manager.send([.ready]))

      #expect(error.code == ENOENT && !error.mayPass)
    }

    @Test("a full queue is an error that may pass, and no thread waits")
    func full() throws {
      let socket = ManagerSocket()
      let manager = try socket.manager()
      var error: SendError?
      // The kernel has room for some hundred datagrams.
      for _ in 0..<100_000 where error == nil { error = manager.send([.watchdog]) }

      #expect(error?.mayPass == true)
      #expect(!socket.received().isEmpty)
      #expect(manager.send([.ready]) == nil)
    }

    @Test("sockets that were passed are not inherited by programs that this process starts")
    func closeOnExec() async {
      // The environment and the numbers of descriptors belong to the whole process.
      await #expect(processExitsWith: .success) {
        let first: CInt = 3
        pretendToBePassed(descriptors: 1)
        // Other threads of a young process open and close files, and one of those files may get that number.
        for _ in 0..<1000 {
          if fcntl(first, F_GETFD) < 0 { dup2(STDERR_FILENO, first) }
          guard fcntl(first, F_SETFD, 0) == 0, let manager = try? ServiceManager.current() else {
            continue
          }
          let flags = fcntl(first, F_GETFD)
          guard flags >= 0, flags & FD_CLOEXEC != 0 else { continue }
          precondition(manager.sockets.map(\.descriptor) == [first])
          return
        }
        preconditionFailure("it would be inherited")
      }
    }

    @Test("a socket that was passed and is not open is an error that names it")
    func notOpen() async {
      await #expect(processExitsWith: .success) {
        let unused: CInt = 900
        pretendToBePassed(descriptors: unused - 2)
        do {
          _ = try ServiceManager.current()
          preconditionFailure("descriptors that no process has opened are taken")
        } catch let error as EnvironmentError {
          precondition(error.description.hasPrefix("LISTEN_FDS is \"898\": "))
          precondition(error.description.hasSuffix(" is not open"))
        }
      }
    }

    @Test("an end for which there is no room is told again, although a shutdown cancels timers")
    func endWithoutRoom() throws {
      let (refusals, told) = (Box(3), Box([String]()))
      let isTold = Latch(2)
      let dispatcher = try UVDispatcher()
      let manager = try ServiceManager(process: 7) { ["NOTIFY_SOCKET": "/run/manager"][$0] }
      let daemon = Daemon(
        dispatcher, shutdown: .init(), manager: manager, logger: Logger(label: "test") { _ in log },
        send: { notifications in
          if refusals.change({
            $0 -= 1
            return $0 >= 0
          }) {
            return SendError(address: "/run/manager", code: EAGAIN)
          }
          told.change { $0.append(notifications.map(\.assignment).joined(separator: " ")) }
          isTold.open()
          return nil
        })
      dispatcher.background { _ = isTold.wait(patience) }
      daemon.beginShutdown(because: "test")
      _ = try daemon.run()

      #expect(
        told.value == ["STOPPING=1 EXTEND_TIMEOUT_USEC=20000000", "STATUS=shuts down: test"])
      #expect(!log.entries.contains { $0.level >= .warning })
    }

    @Test("a loop that is stuck says nothing any more, and the log says which line it is")
    func stalled() throws {
      let socket = ManagerSocket()
      let log = InMemoryLogHandler()
      let observer = StallObserver(LoggingObserver(Logger(label: "test") { _ in log }))
      let dispatcher = try UVDispatcher(
        .init(stallThresholds: .init(.milliseconds(20)), observer: observer))
      // The daemon sends a sign of life every 2 ms.
      let manager = try socket.manager(["WATCHDOG_USEC": "4000"])
      let daemon = try Daemon(
        dispatcher, manager: manager, logger: Logger(label: "test") { _ in log })
      try daemon.begin(untilSignals: [])
      daemon.ready()
      try dispatcher.start()
      while !socket.received().contains("WATCHDOG=1") {}

      let (isStuck, gate) = (Latch(), Latch())
      let line: UInt = #line + 1
      dispatcher.foreground.async(label: "stuck") {
        isStuck.open()
        _ = gate.wait(patience)
      }
      #expect(isStuck.wait(patience))
      _ = socket.received()
      // The stall is reported after 20 ms and again after 40 ms. Twenty signs of life would be due in that
      // time.
      #expect(observer.isToldTwice.wait(patience))

      #expect(socket.received() == [])
      gate.open()
      while !socket.received().contains("WATCHDOG=1") {}
      let stall = try #require(log.entries.first { "\($0.message)".contains("stuck") })
      #expect(stall.level == .warning)
      #expect("\(stall.message)".hasPrefix("\"stuck\" has held its thread for "))
      #expect(stall.metadata["site"] == "\(#fileID):\(line)")
      dispatcher.beginShutdown()
      while dispatcher.report == nil {}
    }
  }

  /// Sets the variables that a service manager sets if it passes `descriptors` sockets. Only for a process of
  /// its own: all its threads share the environment.
  private func pretendToBePassed(descriptors: CInt) {
    unsafe setenv("LISTEN_PID", "\(getpid())", 1)
    unsafe setenv("LISTEN_FDS", "\(descriptors)", 1)
  }

  private final class StallObserver: TaskObserver {
    let isToldTwice = Latch(2)
    private let next: LoggingObserver

    init(_ next: LoggingObserver) { self.next = next }

    func observe(_ event: TaskEvent) {
      next.observe(event)
      if case .stalled = event.kind, event.task.label == "stuck" { isToldTwice.open() }
    }
  }
#endif
