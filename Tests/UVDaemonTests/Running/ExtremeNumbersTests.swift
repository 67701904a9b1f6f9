#if Daemon
  import Logging
  import MetricsTestKit
  import TaskDispatch
  import Testing

  import TaskDispatchTesting
  @testable import UVDaemon

  /// A trap here ends the process of the tests, and that is the failure.
  @Suite("No duration or instant makes a daemon trap")
  struct ExtremeNumbersTests {
    private static let durations: [Duration] = [
      Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero,
      Duration(attoseconds: 1), .milliseconds(1), .seconds(3600), .microseconds(Int64.max),
      .seconds(Int64.max), Duration(attoseconds: .max),
    ]

    @Test("as what the service manager is asked for: whole microseconds, rounded up, and clamped")
    func extendTimeout() {
      for duration in Self.durations {
        let text = ServiceManager.Notification.extendTimeout(duration).assignment
        let asked = text.split(separator: "=").last.flatMap { Int64($0) }
        let (whole, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        #expect(asked == Int64(clamping: max(0, whole + (rest > 0 ? 1 : 0))), "\(text)")
      }
    }

    @Test("as the policy of its shutdown")
    func policy() throws {
      for drain in Self.durations {
        for cancel in Self.durations {
          let scene = try Scene(shutdown: ShutdownPolicy(drain: drain, cancel: cancel))
          scene.daemon.beginShutdown(because: "the test")
          #expect(scene.notifications.count == 3)
          try scene.finish()
        }
      }
    }

    @Test("as the time that the service manager grants", arguments: [1, Int64.max])
    func watchdog(microseconds: Int64) throws {
      let scene = try Scene([
        "NOTIFY_SOCKET": "/run/manager", "WATCHDOG_USEC": "\(microseconds)",
      ])
      try scene.daemon.begin(untilSignals: [])
      try scene.dispatcher.runUntilIdle()
      try scene.finish()
    }

    @Test("in what observers hear, and between two samples")
    func observers() {
      let metrics = MetricsObserver(dispatcher: "uv", factory: TestMetrics())
      let logs = LoggingObserver(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let times = [Int64.min, -1, 0, 1, .max].map { DispatcherInstant(nanoseconds: $0) }
      var number: UInt64 = 0
      for first in times {
        for second in times {
          number += 1
          let record = TaskRecord(
            id: TaskID(number), label: nil, lane: .foreground, queue: "foreground",
            site: CallSite(fileID: #fileID, line: #line), parent: nil, enqueuedAt: first)
          let kinds: [(TaskEvent.Kind, DispatcherInstant)] = [
            (.enqueued, first), (.due, second), (.started, first), (.finished(.completed), second),
            (.refused(.limitReached), first), (.refused(.limitReached), second),
          ]
          for (kind, time) in kinds {
            metrics.observe(TaskEvent(kind, record, at: time))
            logs.observe(TaskEvent(kind, record, at: time))
          }
          for duration in Self.durations {
            logs.observe(TaskEvent(.stalled(duration), record, at: first))
          }
        }
      }
      for interval in Self.durations where interval > .zero {
        let dispatcher = RecordingDispatcher()
        metrics.sample(dispatcher, every: interval)
        try? dispatcher.skipTime(by: .seconds(1))
        _ = try? dispatcher.runUntilIdle()
        try? dispatcher.skipTime(by: .nanoseconds(Int64.max))
        _ = try? dispatcher.runUntilIdle()
      }
    }
  }
#endif
