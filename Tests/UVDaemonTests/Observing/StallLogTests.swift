#if Daemon
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import TaskDispatchTesting
  import TestSupport
  import Testing
  import UVDispatch

  @testable import UVDaemon

  @Suite("A daemon logs bodies that keep their thread", .serialized)
  struct StallLogTests {
    private let log = InMemoryLogHandler()
    private var logger: Logger { Logger(label: "test") { [log] _ in log } }

    private var messages: [String] { log.entries.map { "\($0.level): \($0.message)" } }

    /// Runs a body that keeps a worker until `isTold`, and returns when the daemon has ended.
    private func runStuckBody(
      observer: (any TaskObserver)? = nil, watchesStalls: Bool = true,
      until isTold: @escaping @Sendable ([String]) -> Bool
    ) throws {
      let dispatcher = try UVDispatcher(
        .init(label: "spoold", stallThresholds: .init(.milliseconds(10)), observer: observer))
      let daemon = try Daemon(
        dispatcher, watchesStalls: watchesStalls, manager: .absent, logger: logger)
      dispatcher.background.async(label: "stuck") { [log] in
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end,
          !isTold(log.entries.map { "\($0.level): \($0.message)" })
        { giveWay() }
      }
      try dispatcher.start()
      let group = WorkGroup()
      dispatcher.foreground.async(group: group) {}
      try group.wait()
      daemon.beginShutdown(because: "test")
      _ = try dispatcher.waitForReport(timeout: patience)
    }

    @Test("without an observer, with its thread, and says when it has let that go")
    func byDefault() throws {
      try runStuckBody { $0.contains { $0.contains("has held its thread") } }

      let stall = try #require(
        log.entries.first { "\($0.message)".contains("has held its thread") })
      #expect(stall.level == .warning)
      #expect("\(stall.message)".hasPrefix("\"stuck\" has held its thread for "))
      #expect(stall.metadata["site"]?.description.hasPrefix("\(#fileID):") == true)
      #expect(stall.metadata["thread"]?.description.hasSuffix(" \"spoold worker\"") == true)
      let end = ContinuousClock.now + patience
      while !messages.contains(where: { $0.contains("has let its thread go") }),
        ContinuousClock.now < end
      { giveWay() }
      #expect(
        messages.count { $0.hasPrefix("notice: \"stuck\" has let its thread go after ") } == 1)
    }

    @Test(
      "once, if an observer of the dispatcher logs them as well",
      arguments: [false, true])
    func withObserver(isNested: Bool) throws {
      let observer = LoggingObserver(logger)
      try runStuckBody(observer: isNested ? TaskObservers(Deaf(), observer) : observer) {
        $0.contains { $0.contains("has held its thread") }
      }
      #expect(messages.count { $0.contains("has held its thread") } == 1)
    }

    @Test("not if it is told not to")
    func off() throws {
      let looks = Box(0)
      try runStuckBody(watchesStalls: false) { _ in
        looks.change { looks in
          looks += 1
          return looks > 1000
        }
      }
      #expect(!messages.contains { $0.contains("its thread") })
    }

    @Test("callbacks that keep a thread, each time that they are told of")
    func callbacks() {
      let log = StallLog(logger)
      for (duration, isOver) in [(100, false), (200, false), (250, true)] {
        log.note(
          Stall(
            task: nil, lane: .foreground, thread: ThreadRecord(id: 7, name: "loop"),
            duration: .milliseconds(duration), isOver: isOver, time: .start))
      }
      #expect(
        messages == [
          "warning: callbacks have kept the loop for 100 ms: thread 7 \"loop\"",
          "warning: callbacks have kept the loop for 200 ms: thread 7 \"loop\"",
          "notice: callbacks let the loop go after 250 ms: thread 7 \"loop\"",
        ])
    }

    private struct Deaf: TaskObserver {
      func observe(_ event: TaskEvent) {}
    }
  }
#endif
