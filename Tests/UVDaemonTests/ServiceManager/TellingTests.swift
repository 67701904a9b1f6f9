#if Daemon
  import TestSupport
  import Glibc
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("What the service manager is told")
  struct TellingTests {
    @Test("comes in the order in which it was said, from the foreground")
    func order() throws {
      let scene = try Scene()

      scene.daemon.ready("listens on 3 sockets")
      scene.daemon.status("two\nlines\0")

      #expect(
        scene.notifications == [
          "READY=1", "STATUS=listens on 3 sockets", "STATUS=two lines ",
        ])
      try scene.finish()
    }

    @Test("is told again a little later if there was no room, and in the same order")
    func noRoom() throws {
      let scene = try Scene()
      scene.refuse(EAGAIN, EAGAIN, EAGAIN)

      scene.daemon.ready()
      scene.daemon.status("a")
      #expect(scene.notifications.isEmpty)
      try scene.dispatcher.advanceTime(by: .milliseconds(100))
      #expect(scene.notifications.isEmpty)
      try scene.dispatcher.advanceTime(by: .milliseconds(100))

      #expect(scene.notifications == ["READY=1", "STATUS=a"])
      #expect(scene.dispatcher.nextDeadline == nil)
      #expect(scene.messages.isEmpty)
      scene.daemon.status("b")
      #expect(scene.notifications.last == "STATUS=b")
      try scene.finish()
    }

    @Test("is the latest of each kind, if there was no room for long")
    func longWithoutRoom() throws {
      let scene = try Scene(["NOTIFY_SOCKET": "/run/manager", "WATCHDOG_USEC": "100000"])
      try scene.daemon.begin(untilSignals: [])
      for _ in 0..<1_000 { scene.refuse(ENOBUFS) }

      scene.daemon.ready("early")
      for number in 0..<100 { scene.daemon.status("\(number)") }
      while scene.notifications.isEmpty { try scene.dispatcher.advanceTime(by: .seconds(1)) }

      #expect(scene.notifications.prefix(3) == ["READY=1", "STATUS=99", "WATCHDOG=1"])
      try scene.finish()
    }

    @Test("is given up, with a warning, if the manager does not listen")
    func noListener() throws {
      let scene = try Scene()
      scene.refuse(ECONNREFUSED)

      scene.daemon.ready()
      scene.daemon.status("a")

      #expect(scene.notifications == ["STATUS=a"])
      #expect(
        scene.messages == [
          "warning: no notification reaches the service manager at /run/manager: Connection refused",
          "info: notifications reach the service manager again",
        ])
      try scene.finish()
    }

    @Test("is not said with each beat of the watchdog, while nothing listens")
    func noListenerForLong() throws {
      let scene = try Scene(["NOTIFY_SOCKET": "/run/manager", "WATCHDOG_USEC": "2000000"])
      try scene.daemon.begin(untilSignals: [])
      for _ in 0..<100 { scene.refuse(ECONNREFUSED) }
      for _ in 0..<10 { scene.refuse(ENOENT) }

      try scene.dispatcher.advanceTime(by: .seconds(111))

      #expect(
        scene.messages == [
          "warning: no notification reaches the service manager at /run/manager: Connection refused",
          "warning: no notification reaches the service manager at /run/manager: No such file or directory",
          "info: notifications reach the service manager again",
        ])
      try scene.finish()
    }

    @Test("from another thread is refused by no limit")
    func full() throws {
      let scene = try Scene(overflow: .reject(limit: 1))
      scene.dispatcher.foreground {}
      #expect(scene.dispatcher.foreground {} == .refused(.limitReached))

      scene.dispatcher.background { scene.daemon.ready("is up") }
      try scene.dispatcher.runNextBackgroundTask()
      try scene.dispatcher.runUntilIdle()

      #expect(scene.notifications == ["READY=1", "STATUS=is up"])
      try scene.finish()
    }

    @Test("is a datagram for each, and none is longer than a service manager takes")
    func long() throws {
      let scene = try Scene()
      let letters = String(repeating: "é", count: 5_000)

      scene.daemon.ready(letters)
      scene.daemon.status(String(repeating: "a", count: 4_000))
      scene.daemon.status(String(repeating: "a", count: 4_001))

      #expect(scene.datagrams.map(\.count) == [1, 1, 1, 1])
      #expect(scene.notifications[0] == "READY=1")
      for text in scene.notifications { #expect(text.utf8.count <= 4_096) }
      #expect(scene.notifications[1] == "STATUS=" + String(repeating: "é", count: 1_998) + "…")
      #expect(scene.notifications[2] == "STATUS=" + String(repeating: "a", count: 4_000))
      #expect(scene.notifications[3] == "STATUS=" + String(repeating: "a", count: 3_997) + "…")
      try scene.finish()
    }

    @Test("is that it is ready at the end of a reload, and not in it, nor once it stops")
    func legalOrder() throws {
      let scene = try Scene()
      let (daemon, dispatcher) = (scene.daemon, scene.dispatcher)
      try daemon.onReload {
        daemon.ready("a part is ready")
        daemon.notify(.reloading, .ready)
        try await dispatcher.clock.sleep(for: .seconds(1))
        daemon.ready()
      }
      try dispatcher.raise(.hangup)
      try dispatcher.advanceTime(by: .seconds(1))
      #expect(
        scene.notifications.map { $0.prefix { $0 != "\n" } } == [
          "RELOADING=1", "STATUS=a part is ready", "READY=1", "STATUS=has reloaded",
        ])

      daemon.beginShutdown(because: "test")
      daemon.ready("up")
      daemon.notify(.reloading, .stopping)
      try dispatcher.runUntilIdle()
      #expect(
        scene.notifications.suffix(3) == [
          "EXTEND_TIMEOUT_USEC=20000000", "STATUS=shuts down: test", "STATUS=up",
        ])
      #expect(scene.notifications.count { $0 == "STOPPING=1" } == 1)
      #expect(scene.notifications.count { $0 == "READY=1" } == 1)
      try scene.finish()
    }

    @Test("said in the middle of a reload on another thread, that it is ready is not told after it")
    func readyOfTheMiddle() throws {
      var middles = 0
      for steps in 1...20 {
        let scene = try Scene()
        let (daemon, dispatcher) = (scene.daemon, scene.dispatcher)
        try daemon.onReload { await Task.yield() }
        dispatcher.background { daemon.ready("a part") }
        try dispatcher.raise(.hangup)
        for _ in 0..<steps { _ = try? dispatcher.runNextForegroundTask() }
        let isOver = scene.notifications.contains("READY=1")
        // The worker's call may reach the foreground after the end of the reload.
        try dispatcher.runNextBackgroundTask()
        try dispatcher.runUntilIdle()

        if !isOver {
          middles += 1
          #expect(scene.notifications.count { $0 == "READY=1" } == 1)
        }
        #expect(scene.notifications.contains("STATUS=a part"))
        try scene.finish()
      }
      #expect((2...18).contains(middles))
    }

    @Test("is nothing outside of one: no notification, no timer, no warning")
    func outside() throws {
      let scene = try Scene(["WATCHDOG_USEC": "1000000"])
      try scene.daemon.begin(untilSignals: [.terminate])

      scene.daemon.ready("ready")
      try scene.dispatcher.raise(.terminate)
      try scene.dispatcher.runUntilIdle()

      #expect(scene.notifications.isEmpty)
      #expect(scene.messages.allSatisfy { $0.hasPrefix("info: ") })
      #expect(scene.dispatcher.report != nil)
      try scene.finish()
    }

    @Test("that it is alive comes twice in the time that it grants, and not after the end began")
    func watchdog() throws {
      let scene = try Scene([
        "NOTIFY_SOCKET": "/run/manager", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7",
      ])
      try scene.daemon.begin(untilSignals: [.terminate])

      try scene.dispatcher.advanceTime(by: .milliseconds(14_999))
      #expect(scene.notifications.isEmpty)
      try scene.dispatcher.advanceTime(by: .milliseconds(1))
      #expect(scene.notifications == ["WATCHDOG=1"])
      try scene.dispatcher.advanceTime(by: .seconds(30))
      #expect(scene.notifications == ["WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"])
      try scene.dispatcher.raise(.terminate)
      try scene.dispatcher.runUntilIdle()
      #expect(scene.notifications.last == "STATUS=shuts down: SIGTERM")
      #expect(scene.dispatcher.nextDeadline == nil)
      try scene.finish()
    }

    @Test("is in whole microseconds, rounded up, whatever the time is")
    func times() {
      func text(_ time: Duration) -> String {
        ServiceManager.Notification.extendTimeout(time).assignment
      }

      #expect(text(.nanoseconds(1)) == "EXTEND_TIMEOUT_USEC=1")
      #expect(text(.microseconds(1)) == "EXTEND_TIMEOUT_USEC=1")
      #expect(text(.nanoseconds(1_001)) == "EXTEND_TIMEOUT_USEC=2")
      #expect(text(.seconds(90)) == "EXTEND_TIMEOUT_USEC=90000000")
      #expect(text(.zero) == "EXTEND_TIMEOUT_USEC=0")
      #expect(text(.seconds(-1)) == "EXTEND_TIMEOUT_USEC=0")
      #expect(text(.seconds(Int64.max)) == "EXTEND_TIMEOUT_USEC=\(Int64.max)")
    }
  }
#endif
