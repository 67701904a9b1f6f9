#if Daemon
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("A request to end")
  struct EndingTests {
    @Test("lets what was accepted run, and says so to the service manager first")
    func drains() throws {
      let scene = try Scene(shutdown: .init(drain: .seconds(20), cancel: .seconds(5)))
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate, .interrupt])
      let ran = Box(0)
      dispatcher.background { ran.increment() }
      dispatcher.background { ran.increment() }

      try dispatcher.raise(.terminate)
      try dispatcher.runNextForegroundTask()

      #expect(
        scene.notifications == [
          "STOPPING=1", "EXTEND_TIMEOUT_USEC=30000000", "STATUS=shuts down: SIGTERM",
        ])
      #expect(scene.messages == ["info: SIGTERM: shuts down; 0 tasks run, 2 wait"])
      #expect(ran.value == 0)
      try dispatcher.runUntilIdle()
      #expect(ran.value == 2)
      #expect(dispatcher.report?.unfinished.isEmpty == true)
      try scene.finish()
    }

    @Test("that comes again means now, whichever signal it is")
    func twice() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate, .interrupt])
      let ran = Box(0)
      dispatcher.background.async(label: "long") {
        ran.increment()
        try? dispatcher.raise(.interrupt)
      }
      dispatcher.background.async(label: "later") { ran.increment() }
      try dispatcher.raise(.terminate)
      try dispatcher.runNextForegroundTask()
      try dispatcher.skipTime(by: .seconds(1))
      try dispatcher.runTask(labeled: "long")

      try dispatcher.runNextForegroundTask()

      #expect(ran.value == 1)
      #expect(dispatcher.report?.unfinished.map(\.label) == ["later"])
      #expect(scene.messages.last == "warning: SIGINT, a second request to end: shuts down now")
      #expect(scene.notifications.count { $0 == "STOPPING=1" } == 1)
      try scene.finish()
    }

    @Test(
      "that comes again in the cancel phase leaves no time to what runs: it is abandoned, and named"
    )
    func twiceWhileCancelling() throws {
      let scene = try Scene(shutdown: .init(drain: .seconds(10), cancel: .seconds(3600)))
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate])
      dispatcher.background.async(label: "stuck") {}
      dispatcher.background.async(label: "other") {}
      // This makes a worker take "stuck" first, and that body does not come to its end.
      try dispatcher.runTask(labeled: "other")
      try dispatcher.raise(.terminate)
      try dispatcher.runNextForegroundTask()
      try dispatcher.advanceTime(by: .seconds(10), driving: .loop)
      #expect(dispatcher.report == nil)

      try dispatcher.raise(.terminate)
      try dispatcher.runNextForegroundTask()
      try dispatcher.advanceTime(by: .zero, driving: .loop)

      let report = try #require(dispatcher.report)
      #expect(report.unfinished.map(\.label) == ["stuck"])
      #expect(report.unfinished.map(\.state) == [.abandoned])
      #expect(dispatcher.now == .start.advanced(by: .seconds(10)))
      #expect(scene.messages.last == "warning: SIGTERM, a second request to end: shuts down now")
      #expect(scene.notifications.count { $0 == "STOPPING=1" } == 1)
      try scene.finish()
    }

    @Test("is told once, and nothing that waited for room is told after it")
    func toldOnce() throws {
      let scene = try Scene()
      scene.refuse(11)
      scene.daemon.ready("up")
      scene.daemon.beginShutdown(because: "first")
      scene.daemon.beginShutdown(because: "second", ShutdownPolicy(drain: .zero, cancel: .zero))
      scene.daemon.status("leaves")
      try scene.dispatcher.runUntilIdle()

      #expect(
        scene.notifications == [
          "STOPPING=1", "EXTEND_TIMEOUT_USEC=20000000", "STATUS=shuts down: first",
          "STATUS=leaves",
        ])
      try scene.finish()
    }

    @Test(
      "that comes again within a second is the same, whichever signal it is, and that is logged",
      arguments: [1, 5, 20, 200, 999])
    func passedOnTwice(milliseconds: Int) throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate, .interrupt])
      let ran = Box(0)
      dispatcher.background { ran.increment() }
      try dispatcher.raise(.terminate)
      try dispatcher.runNextForegroundTask()
      try dispatcher.skipTime(by: .milliseconds(milliseconds))
      try dispatcher.raise(.interrupt)
      try dispatcher.raise(.interrupt)
      try dispatcher.runNextForegroundTask()
      #expect(dispatcher.report == nil)
      #expect(
        scene.messages.last
          == "info: SIGINT came again \(milliseconds) ms after the first, 2 times: the same request to end; "
          + "one that comes 1 s after the first means now")

      try dispatcher.runUntilIdle()
      #expect(ran.value == 1)
      #expect(dispatcher.report?.unfinished.isEmpty == true)
      #expect(scene.notifications.count { $0 == "STOPPING=1" } == 1)
      try scene.finish()
    }

    @Test("that comes again counts from the first, however often it came between")
    func countsFromTheFirst() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate])
      dispatcher.background.async(label: "never") {}
      for milliseconds in [0, 900, 600] {
        #expect(dispatcher.report == nil)
        try dispatcher.skipTime(by: .milliseconds(milliseconds))
        try dispatcher.raise(.terminate)
        try dispatcher.runNextForegroundTask()
      }

      #expect(dispatcher.report?.unfinished.map(\.label) == ["never"])
      try scene.finish()
    }

    @Test("that was made twice before the loop could look is one")
    func burst() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate])
      let ran = Box(0)
      dispatcher.background { ran.increment() }
      try dispatcher.raise(.terminate)
      try dispatcher.raise(.terminate)

      try dispatcher.runNextForegroundTask()
      #expect(dispatcher.report == nil)
      #expect(scene.messages.last?.hasPrefix("info: SIGTERM came again: the same request") == true)
      try dispatcher.runUntilIdle()
      #expect(ran.value == 1)
      try scene.finish()
    }

    @Test("that comes again means now at once, where that is asked for", arguments: [true, false])
    func withoutGrace(inOneCall: Bool) throws {
      let scene = try Scene(secondSignalAfter: .zero)
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate])
      dispatcher.background.async(label: "never") {}
      try dispatcher.raise(.terminate)
      if !inOneCall { try dispatcher.runNextForegroundTask() }
      try dispatcher.raise(.terminate)

      try dispatcher.runNextForegroundTask()

      #expect(dispatcher.report?.unfinished.map(\.label) == ["never"])
      #expect(scene.notifications.first == "STOPPING=1")
      try scene.finish()
    }

    @Test("cannot be waited for where the signal cannot: then nothing is registered")
    func refused() throws {
      let scene = try Scene(["NOTIFY_SOCKET": "/run/manager", "WATCHDOG_USEC": "1000"])

      #expect(throws: EventRefusal.self) {
        try scene.daemon.begin(untilSignals: [.terminate, .kill])
      }

      #expect(throws: StepError.self) { try scene.dispatcher.raise(.terminate) }
      #expect(scene.dispatcher.nextDeadline == nil)
      try scene.finish()
    }

    @Test("that came before the daemon began is drained, and is no error")
    func before() throws {
      let scene = try Scene()
      let ran = Box(0)
      scene.dispatcher.background { ran.increment() }
      scene.daemon.beginShutdown(because: "no configuration")

      try scene.daemon.begin(untilSignals: [.terminate])
      try scene.dispatcher.runUntilIdle()

      #expect(ran.value == 1)
      #expect(
        scene.notifications == [
          "STOPPING=1", "EXTEND_TIMEOUT_USEC=20000000", "STATUS=shuts down: no configuration",
        ])
      try scene.finish()
    }

    @Test("has left no time, as a second signal does, which a program may ask for after it")
    func wasCutShort() throws {
      for times in 1...2 {
        let scene = try Scene(secondSignalAfter: .zero)
        try scene.daemon.begin(untilSignals: [.terminate])
        #expect(!scene.daemon.wasCutShort)
        for _ in 1...times { try scene.dispatcher.raise(.terminate) }
        try scene.dispatcher.runUntilIdle()

        #expect(scene.dispatcher.report != nil)
        #expect(scene.daemon.wasCutShort == (times == 2))
        try scene.finish()
      }
    }

    @Test("that leaves many tasks unstarted names the first, and counts the others")
    func manyLeft() throws {
      let scene = try Scene(secondSignalAfter: .zero)
      try scene.daemon.begin(untilSignals: [.terminate])
      for number in 1...1_000 {
        scene.dispatcher.background.submit(label: "task \(number)") {}
      }
      for _ in 1...2 { try scene.dispatcher.raise(.terminate) }
      try scene.dispatcher.runNextForegroundTask()
      let report = try #require(scene.dispatcher.report)
      #expect(report.unfinished.count == 1_000)

      scene.daemon.log(report)

      let lines = scene.messages.filter { $0.hasPrefix("warning: left behind: ") }
      #expect(lines.count == 1)
      #expect(lines.first?.contains("\"task 1\"") == true)
      #expect(lines.first?.hasSuffix("; 999 more never started") == true)
      try scene.finish()
    }

    @Test("is logged with what it leaves behind")
    func report() throws {
      let scene = try Scene()
      let report = ShutdownReport(
        ledger: Ledger(),
        unfinished: [
          .init(
            label: "hash", queue: "background", site: CallSite(fileID: "A/B.swift", line: 7),
            age: .seconds(3), thread: "a thread of the pool", state: .abandoned)
        ])

      scene.daemon.log(report)

      #expect(
        scene.messages.first
          == "warning: left behind: \"hash\" (A/B.swift:7) on background still runs after "
          + "3 s, in a thread of the pool")
      #expect(scene.messages.last?.hasPrefix("info: has shut down: 0 submitted") == true)
      try scene.finish()
    }
  }
#endif
