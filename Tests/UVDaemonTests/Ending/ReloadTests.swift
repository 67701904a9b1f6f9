#if Daemon
  import TaskDispatch
  import Testing

  @testable import TaskDispatchTesting
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

    @Test("that is asked for again and again while one goes on happens once more")
    func storm() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      let reloads = Box(0)
      try scene.daemon.onReload {
        let number = reloads.increment()
        if number == 1 { for _ in 0..<100 { try dispatcher.raise(.hangup) } }
        // Those are told of between the two halves.
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
      #expect(scene.notifications.last?.hasPrefix("EXTEND_TIMEOUT_USEC=") == true)
      try scene.finish()
    }
  }
#endif
