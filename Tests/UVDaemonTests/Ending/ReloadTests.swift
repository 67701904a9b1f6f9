#if Daemon
  import Logging
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("A reload")
  struct ReloadTests {
    @Test("begins on the foreground, and the service manager hears of its beginning and its end")
    func told() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let places = Box([Bool]())
      try scene.daemon.onReload {
        places.change { $0.append(dispatcher.isForeground) }
        await Task.yield()
        places.change { $0.append(dispatcher.isForeground) }
      }

      try dispatcher.raise(.hangup)
      try dispatcher.runNextForegroundTask()
      let begun = scene.notifications
      try dispatcher.runUntilIdle()

      let lines = try #require(begun.first).split(separator: "\n")
      #expect(begun.count == 1 && lines.first == "RELOADING=1")
      let since = try #require(lines.last?.split(separator: "=").last.flatMap { Int64($0) })
      let now = monotonicNanoseconds() / 1_000
      #expect((now - 60_000_000...now).contains(since))
      #expect(scene.notifications.dropFirst() == ["READY=1", "STATUS=has reloaded"])
      #expect(places.value == [true, true])
      try scene.finish()
    }

    @Test("before it was ready makes it none, and may say that it is")
    func beforeReady() throws {
      let scene = try Scene(isReady: false)
      let (daemon, dispatcher) = (scene.daemon, scene.dispatcher)
      let isUp = Box(false)
      try daemon.onReload {
        daemon.notify(.reloading)
        if isUp.value { daemon.ready("is up") }
      }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()
      #expect(scene.notifications == ["STATUS=has reloaded"])
      isUp.value = true
      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()
      #expect(
        scene.notifications.dropFirst() == ["READY=1", "STATUS=is up", "STATUS=has reloaded"])
      try scene.finish()
    }

    @Test("of which a handler hangs goes on with the next, which has its own time")
    func nextAfterOneThatHangs() throws {
      let scene = try Scene(reloadTimeout: .seconds(20))
      let dispatcher = scene.dispatcher
      try scene.daemon.onReload(fileID: "A/Net.swift", line: 7) {
        try await dispatcher.clock.sleep(for: .seconds(3600))
      }
      try scene.daemon.onReload(fileID: "A/Disk.swift", line: 8) {
        try await dispatcher.clock.sleep(for: .seconds(19))
        throw NoKey()
      }
      try dispatcher.raise(.hangup)
      try dispatcher.advanceTime(by: .seconds(39))

      #expect(
        scene.notifications.dropFirst() == [
          "READY=1",
          "STATUS=cannot reload: onReload of A/Net.swift:7 has not ended in 20 s; no key",
        ])
      try scene.finish()
    }

    @Test("that holds the loop for too long cannot be left behind, and that is logged")
    func held() throws {
      let scene = try Scene(reloadTimeout: .seconds(20))
      let dispatcher = scene.dispatcher
      try scene.daemon.onReload(fileID: "A/Net.swift", line: 7) {
        try dispatcher.skipTime(by: .seconds(21))
      }
      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(scene.notifications.dropFirst() == ["READY=1", "STATUS=has reloaded"])
      #expect(
        scene.messages.first
          == "warning: onReload of A/Net.swift:7 has taken 21 s, and 20 s are meant for it: it has held the loop"
      )
      try scene.finish()
    }

    private struct NoKey: Error, CustomStringConvertible { let description = "no key" }

    @Test("that is asked for again and again while one goes on happens once more")
    func storm() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let reloads = Box(0)
      try scene.daemon.onReload {
        let number = reloads.increment()
        if number == 1 { for _ in 0..<100 { try dispatcher.raise(.hangup) } }
        // The signals are delivered while the reload is suspended here.
        await dispatcher.foreground.flush()
      }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(reloads.value == 2)
      #expect(scene.notifications.count { $0 == "READY=1" } == 2)
      try scene.finish()
    }

    @Test("that fails is logged and told, and the next one is one like any other")
    func failing() throws {
      struct NoSuchKey: Error, CustomStringConvertible { let description = "line 3: no such key" }
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let reloads = Box(0)
      try scene.daemon.onReload { if reloads.increment() == 1 { throw NoSuchKey() } }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(scene.messages == ["error: cannot reload: line 3: no such key"])
      #expect(
        scene.notifications.suffix(2) == ["READY=1", "STATUS=cannot reload: line 3: no such key"])
      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()
      #expect(reloads.value == 2)
      #expect(scene.notifications.last == "STATUS=has reloaded")
      try scene.finish()
    }

    @Test("calls the handlers in the order of registration, between one beginning and one end")
    func several() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let calls = Box([String]())
      for name in ["a", "b", "c"] {
        try scene.daemon.onReload {
          calls.change { $0.append("\(name) begins") }
          // Other tasks of the foreground may run here, and the next handler may not.
          await dispatcher.foreground.flush()
          calls.change { $0.append("\(name) ends: \(scene.notifications.count) told") }
        }
      }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(
        calls.value == [
          "a begins", "a ends: 1 told", "b begins", "b ends: 1 told", "c begins",
          "c ends: 1 told",
        ])
      #expect(scene.notifications.first?.hasPrefix("RELOADING=1\n") == true)
      #expect(scene.notifications.dropFirst() == ["READY=1", "STATUS=has reloaded"])
      #expect(scene.messages == ["info: has reloaded"])
      try scene.finish()
    }

    @Test("goes on with the next handler when one fails, and tells of all that have")
    func severalFailing() throws {
      struct Failure: Error, CustomStringConvertible { let description: String }
      let scene = try Scene()
      let calls = Box(0)
      try scene.daemon.onReload { throw Failure(description: "no file") }
      try scene.daemon.onReload { calls.increment() }
      try scene.daemon.onReload { throw Failure(description: "no key") }
      try scene.daemon.onReload { calls.increment() }

      try scene.dispatcher.raise(.hangup)
      try scene.dispatcher.runUntilIdle()

      #expect(calls.value == 2)
      #expect(
        scene.messages == ["error: cannot reload: no file", "error: cannot reload: no key"])
      #expect(
        scene.notifications.dropFirst() == ["READY=1", "STATUS=cannot reload: no file; no key"])
      try scene.finish()
    }

    @Test(
      "that several handlers wait for happens once more for all of them, however often it is asked")
    func severalInStorm() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let calls = Box([String]())
      try scene.daemon.onReload {
        let number = calls.change { calls in
          calls.append("a")
          return calls.count
        }
        if number == 1 { for _ in 0..<100 { try dispatcher.raise(.hangup) } }
        await dispatcher.foreground.flush()
      }
      try scene.daemon.onReload { calls.change { $0.append("b") } }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(calls.value == ["a", "b", "a", "b"])
      let told = scene.notifications.map { $0.prefix { $0 != "\n" } }
      let once = ["RELOADING=1", "READY=1", "STATUS=has reloaded"]
      #expect(told.map(String.init) == once + once)
      try scene.finish()
    }

    @Test("calls the handlers of its signal only, and of each that came while another went on")
    func severalSignals() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let calls = Box([String]())
      try scene.daemon.onReload {
        calls.change { $0.append("hangup") }
        if calls.value.count == 1 { try dispatcher.raise(.user1) }
        await dispatcher.foreground.flush()
      }
      try scene.daemon.onReload(.user1) { calls.change { $0.append("user1") } }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(calls.value == ["hangup", "user1"])
      #expect(scene.notifications.count { $0 == "READY=1" } == 2)
      try scene.finish()
    }

    @Test("leaves out a handler that was removed, also in its middle, and the others stay")
    func removed() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let calls = Box([String]())
      let later = Box<Registration?>(nil)
      let first = try scene.daemon.onReload {
        calls.change { $0.append("a") }
        later.value?.cancel()
      }
      later.value = try scene.daemon.onReload { calls.change { $0.append("b") } }
      let last = try scene.daemon.onReload { calls.change { $0.append("c") } }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()
      first.cancel()
      first.cancel()
      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()
      #expect(calls.value == ["a", "c", "c"])

      last.cancel()
      // No handler is left, so the daemon has given the signal back.
      #expect(throws: StepError.self) { try dispatcher.raise(.hangup) }
      try scene.daemon.onReload { calls.change { $0.append("d") } }
      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()
      #expect(calls.value.last == "d")
      later.value = nil
      try scene.finish()
    }

    @Test("gains and loses handlers on several threads at once, and listens as long as it has one")
    func threads() async throws {
      let dispatcher = RecordingDispatcher()
      let daemon = try Daemon(
        dispatcher, manager: .absent,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let reloads = Box(0)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            for _ in 0..<200 { try? daemon.onReload { reloads.increment() }.cancel() }
            if number == 7 { _ = try? daemon.onReload { reloads.increment() } }
          }
        }
      }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(reloads.value == 1)
      // Handlers came and went, and the dispatcher has one left.
      let registered = dispatcher.history.count { $0.kind == .registered }
      #expect(registered == 1 + dispatcher.history.count { $0.kind == .unregistered })
      dispatcher.beginShutdown()
      try dispatcher.runUntilIdle()
      try dispatcher.finish()
    }

    @Test("cannot be waited for where its signal cannot, and then leaves nothing behind")
    func refused() throws {
      let scene = try Scene()
      weak var captured: Canary?
      do {
        let canary = Canary(Latch())
        captured = canary
        #expect(throws: EventRefusal.self) {
          try scene.daemon.onReload(.kill) { withExtendedLifetime(canary) {} }
        }
      }
      #expect(captured == nil)
      try scene.finish()
    }

    @Test("calls no further handler once the end was asked for, and does not say that all is ready")
    func endInTheMiddle() throws {
      let scene = try Scene()
      let calls = Box([String]())
      try scene.daemon.onReload {
        calls.change { $0.append("a") }
        scene.daemon.beginShutdown(because: "enough")
      }
      try scene.daemon.onReload { calls.change { $0.append("b") } }

      try scene.dispatcher.raise(.hangup)
      try scene.dispatcher.runUntilIdle()

      #expect(calls.value == ["a"])
      #expect(scene.notifications.contains("STOPPING=1"))
      #expect(!scene.notifications.contains("READY=1"))
      try scene.finish()
    }

    @Test("does not begin, and does not say that all is ready, once the end was asked for")
    func tooLate() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      try scene.daemon.begin(untilSignals: [.terminate])
      let reloads = Box(0)
      try scene.daemon.onReload {
        if reloads.increment() == 1 {
          try dispatcher.raise(.terminate)
          try dispatcher.raise(.hangup)
        }
        await dispatcher.foreground.flush()
      }

      try dispatcher.raise(.hangup)
      try dispatcher.runUntilIdle()

      #expect(reloads.value == 1)
      #expect(scene.notifications.last == "STATUS=shuts down: SIGTERM")
      try scene.finish()
    }

    @Test(
      "that hangs is given up, which the manager and the log are told, and the next one is not lost"
    )
    func hangs() throws {
      let scene = try Scene(reloadTimeout: .seconds(20))
      let dispatcher = scene.dispatcher
      let calls = Box(0)
      let wasCancelled = Box(false)
      try scene.daemon.onReload(fileID: "A/Net.swift", line: 7) {
        guard calls.increment() == 1 else { return }
        do { try await dispatcher.clock.sleep(for: .seconds(3600)) } catch {
          wasCancelled.value = true
        }
      }

      try dispatcher.raise(.hangup)
      try dispatcher.advanceTime(by: .seconds(10))
      try dispatcher.raise(.hangup)
      try dispatcher.raise(.hangup)
      try dispatcher.advanceTime(by: .milliseconds(9_999))
      #expect(scene.notifications.count == 1)
      #expect(
        scene.messages == ["info: SIGHUP: a reload goes on, and one more comes after it"])
      try dispatcher.advanceTime(by: .milliseconds(1))

      #expect(calls.value == 2 && wasCancelled.value)
      #expect(
        scene.notifications.map { $0.prefix { $0 != "\n" } } == [
          "RELOADING=1", "READY=1",
          "STATUS=cannot reload: onReload of A/Net.swift:7 has not ended in 20 s",
          "RELOADING=1", "READY=1", "STATUS=has reloaded",
        ])
      #expect(
        scene.messages.dropFirst() == [
          "error: cannot reload: onReload of A/Net.swift:7 has not ended in 20 s; its Task is cancelled",
          "info: onReload of A/Net.swift:7, which was left behind, has ended", "info: has reloaded",
        ])
      #expect(dispatcher.nextDeadline == nil)
      try scene.finish()
    }
  }
#endif
