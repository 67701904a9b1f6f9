#if Daemon
  import TestSupport
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import Testing
  import UVDispatch

  import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("What is to be done before the end")
  struct OnEndTests {
    private let log = Box<[String]>([])
    private func note(_ text: String) { log.change { $0.append(text) } }

    @Test(
      "is done one after the other, the last that was asked for first, and before the gate closes")
    func inReverse() throws {
      let scene = try Scene(shutdown: .init(drain: .seconds(20), cancel: .seconds(5)))
      let dispatcher = scene.dispatcher
      for name in ["first", "second"] {
        scene.daemon.onEnd(deadline: .seconds(7)) {
          note("\(name) begins")
          try await dispatcher.clock.sleep(for: .seconds(1))
          let value = try await dispatcher.background.run { name }
          dispatcher.background { note("\(value) runs later") }
          note("\(name) ends: \(dispatcher.isForeground)")
        }
      }
      try scene.daemon.begin(untilSignals: [.terminate])
      try dispatcher.raise(.terminate)
      try dispatcher.runUntilIdle()
      #expect(
        scene.notifications == [
          "STOPPING=1", "EXTEND_TIMEOUT_USEC=44000000", "STATUS=shuts down: SIGTERM",
        ])
      #expect(log.value == ["second begins"])
      #expect(dispatcher.report == nil)

      try dispatcher.advanceTime(by: .seconds(2))

      #expect(
        log.value == [
          "second begins", "second ends: true", "second runs later", "first begins",
          "first ends: true", "first runs later",
        ])
      #expect(dispatcher.report?.unfinished.isEmpty == true)
      #expect(dispatcher.nextDeadline == nil)
      try scene.finish()
    }

    @Test("has the time that is right when the end comes, whatever it was before")
    func laterDeadline() throws {
      let scene = try Scene(shutdown: .init(drain: .seconds(20), cancel: .seconds(5)))
      let (dispatcher, deadline) = (scene.dispatcher, Box(Duration.seconds(1)))
      scene.daemon.onEnd(deadline: deadline.value) {
        try? await dispatcher.clock.sleep(for: .seconds(8))
        note(Task.isCancelled ? "too late" : "in time")
      }
      deadline.change { $0 = .seconds(9) }
      scene.daemon.beginShutdown(because: "test")

      try dispatcher.advanceTime(by: .seconds(9))

      #expect(log.value == ["in time"])
      #expect(scene.notifications.contains("EXTEND_TIMEOUT_USEC=39000000"))
      try scene.finish()
    }

    @Test("is done also where it is asked for by code, and once", arguments: [1, 3])
    func byCode(times: Int) throws {
      let scene = try Scene()
      scene.daemon.onEnd { note("ends") }
      for _ in 0..<times { scene.daemon.beginShutdown(because: "code") }
      #expect(scene.dispatcher.report == nil)

      try scene.dispatcher.runUntilIdle()

      #expect(log.value == ["ends"])
      #expect(scene.dispatcher.report != nil)
      #expect(scene.notifications.count { $0 == "STOPPING=1" } == 1)
      try scene.finish()
    }

    @Test("that fails is logged, and the next is done")
    func fails() throws {
      struct Full: Error {}
      let scene = try Scene()
      scene.daemon.onEnd { note("first") }
      scene.daemon.onEnd { throw Full() }
      scene.daemon.beginShutdown(because: "test")

      try scene.dispatcher.runUntilIdle()

      #expect(log.value == ["first"])
      #expect(scene.messages == ["error: onEnd has failed: Full()"])
      try scene.finish()
    }

    @Test("is left behind at its deadline, with a word, and the next is done")
    func hangs() throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      scene.daemon.onEnd { note("first") }
      scene.daemon.onEnd(deadline: .seconds(3), fileID: "A/Net.swift", line: 7) {
        do { try await dispatcher.clock.sleep(for: .seconds(3600)) } catch {
          note(Task.isCancelled ? "cancelled" : "woken")
        }
      }
      scene.daemon.beginShutdown(because: "test")
      try dispatcher.advanceTime(by: .milliseconds(2_999))
      #expect(log.value == [] && dispatcher.report == nil)

      try dispatcher.advanceTime(by: .milliseconds(1))

      #expect(Set(log.value) == ["first", "cancelled"])
      #expect(
        scene.messages == [
          "error: onEnd of A/Net.swift:7 has not ended in 3 s: its Task is cancelled, and the next begins",
          "info: onEnd of A/Net.swift:7, which was left behind, has ended",
        ])
      #expect(dispatcher.report != nil)
      try scene.finish()
    }

    @Test(
      "is left behind by a second signal, and by a request that leaves no time",
      arguments: [true, false])
    func now(bySignal: Bool) throws {
      let scene = try Scene()
      let dispatcher = scene.dispatcher
      scene.daemon.onEnd { note("never") }
      scene.daemon.onEnd(deadline: .seconds(100)) {
        do { try await dispatcher.clock.sleep(for: .seconds(50)) } catch {
          note(Task.isCancelled ? "cancelled" : "woken")
        }
      }
      try scene.daemon.begin(untilSignals: [.terminate])
      try dispatcher.raise(.terminate)
      try dispatcher.advanceTime(by: .seconds(2))
      #expect(dispatcher.report == nil)

      if bySignal {
        try dispatcher.raise(.terminate)
      } else {
        scene.daemon.beginShutdown(because: "now", ShutdownPolicy(drain: .zero, cancel: .zero))
      }
      try dispatcher.runUntilIdle()

      #expect(dispatcher.report != nil)
      #expect(log.value == ["cancelled"])
      #expect(dispatcher.now == .start.advanced(by: .seconds(2)))
      try scene.finish()
    }

    @Test("that does not hear of its cancellation is left behind too")
    func hangsForGood() throws {
      let scene = try Scene()
      let waiting = Box<CheckedContinuation<Void, Never>?>(nil)
      scene.daemon.onEnd { note("first") }
      scene.daemon.onEnd(deadline: .seconds(3), fileID: "A/Net.swift", line: 7) {
        await withCheckedContinuation { waiting.value = $0 }
        note("too late")
      }
      scene.daemon.beginShutdown(because: "test")

      try scene.dispatcher.advanceTime(by: .seconds(3))

      #expect(log.value == ["first"])
      #expect(scene.dispatcher.report != nil)
      waiting.value?.resume()
      try scene.dispatcher.runUntilIdle()
      try scene.finish()
    }

    @Test(
      "is not done any more once its registration was cancelled, nor if it was asked for too late")
    func removed() throws {
      let scene = try Scene()
      scene.daemon.onEnd { note("stays") }
      let gone = scene.daemon.onEnd { note("gone") }
      gone.cancel()
      scene.daemon.beginShutdown(because: "test")
      scene.daemon.onEnd { note("late") }

      try scene.dispatcher.runUntilIdle()

      #expect(log.value == ["stays"])
      try scene.finish()
    }

    @Test("shortens the shutdown as each request says that comes while it is done")
    func shorter() throws {
      let scene = try Scene(shutdown: .init(drain: .seconds(100), cancel: .seconds(5)))
      let dispatcher = scene.dispatcher
      let held = dispatcher.makeQueue(label: "held", width: 1)
      held.suspend()
      held.async(label: "left") {}
      // This task can end without a `resume()`, so the drain waits for it until its deadline.
      dispatcher.background.async(label: "long") {}
      scene.daemon.onEnd { try await dispatcher.clock.sleep(for: .seconds(1)) }
      scene.daemon.beginShutdown(because: "first")
      scene.daemon.beginShutdown(
        because: "second", ShutdownPolicy(drain: .seconds(3), cancel: .zero))

      try dispatcher.advanceTime(by: .seconds(1), driving: .loop)
      #expect(dispatcher.report == nil)
      try dispatcher.advanceTime(by: .seconds(3), driving: .loop)

      #expect(dispatcher.report?.unfinished.map(\.label).contains("left") == true)
      try scene.finish()
    }

    @Test("does not keep a stuck loop's dispatcher from its end")
    func stuckLoop() throws {
      let dispatcher = try UVDispatcher()
      let log = InMemoryLogHandler()
      let logger = Logger(label: "test") { [log] _ in log }
      let daemon = try Daemon(
        dispatcher, watchesStalls: false, manager: .absent, logger: logger)
      let gate = Latch()
      let isIn = Latch()
      dispatcher.foreground {
        isIn.open()
        gate.hold(patience)
      }
      try dispatcher.start()
      #expect(isIn.wait(patience))
      daemon.onEnd(deadline: .zero) { note("too late") }

      daemon.beginShutdown(
        because: "test", ShutdownPolicy(drain: .milliseconds(1), cancel: .milliseconds(1)))

      let report = try? dispatcher.waitForReport(timeout: patience)
      #expect(report != nil)
      #expect(
        log.entries.first?.message
          == "the loop has not come to the end of what is to be done before a shutdown, which begins now"
      )
      gate.open()
    }
  }
#endif
