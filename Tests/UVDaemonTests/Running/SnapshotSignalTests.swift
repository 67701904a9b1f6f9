#if Daemon
  import InMemoryLogging
  import Logging
  import TaskDispatch
  import TaskDispatchTesting
  import Testing

  @testable import UVDaemon

  @Suite("SIGUSR2")
  struct SnapshotSignalTests {
    private let log = InMemoryLogHandler()

    private func daemon(
      _ dispatcher: RecordingDispatcher, snapshotSignal: Signal? = .user2
    ) -> Daemon<RecordingDispatcher> {
      Daemon(
        dispatcher, shutdown: ShutdownPolicy(), snapshotSignal: snapshotSignal, manager: .absent,
        logger: Logger(label: "test") { [log] _ in log }, send: { _ in nil })
    }

    private var notices: [String] {
      log.entries.filter { $0.level == .notice }.map { "\($0.message)" }
    }

    @Test("makes the daemon log a snapshot, each time")
    func logged() throws {
      let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
      try daemon(dispatcher).begin()
      let queue = dispatcher.makeQueue(label: "held", width: 1)
      queue.suspend()
      queue.async(label: "waits") {}
      try dispatcher.raise(.user2)
      try dispatcher.runNextForegroundTask()

      #expect(notices.count == 1)
      let lines = try #require(notices.first).split(separator: "\n").map(String.init)
      #expect(lines.first == "fake, 0 s after its start, open")
      #expect(
        lines.contains(
          "  held, width 1, suspended: 0 running, 1 waiting, the oldest for 0 s; none ended"))
      #expect(lines.contains { $0.hasPrefix("  SIGTERM: UVDaemon/") })
      try dispatcher.raise(.user2)
      try dispatcher.runNextForegroundTask()
      #expect(notices.count == 2)
    }

    @Test("comes to nothing if the daemon is told so, and another signal can be chosen")
    func others() throws {
      let silent = RecordingDispatcher(.init(leftovers: .ignore))
      try daemon(silent, snapshotSignal: nil).begin()
      #expect(throws: StepError.self) { try silent.raise(.user2) }

      let other = RecordingDispatcher(.init(leftovers: .ignore))
      try daemon(other, snapshotSignal: .user1).begin()
      #expect(throws: StepError.self) { try other.raise(.user2) }
      try other.raise(.user1)
      try other.runNextForegroundTask()
      #expect(notices.count == 1)
    }

    @Test("ends the daemon, if that is what it is for")
    func forTheEnd() throws {
      let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
      try daemon(dispatcher).begin(untilSignals: [.user2])
      try dispatcher.raise(.user2)
      try dispatcher.runUntilIdle()
      #expect(dispatcher.report != nil)
      #expect(notices.isEmpty)
    }
  }
#endif
