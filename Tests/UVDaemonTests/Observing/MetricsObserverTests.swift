#if Daemon
  import CoreMetrics
  import MetricsTestKit
  import TaskDispatch
  import Testing
  import UVDispatch

  @testable import TaskDispatchTesting
  @testable import UVDaemon

  @Suite("The metrics of a dispatcher")
  struct MetricsObserverTests {
    private let metrics = TestMetrics()
    private var observer: MetricsObserver { MetricsObserver(dispatcher: "d", factory: metrics) }

    private func nanoseconds(_ label: String, _ queue: String) throws -> [Int64] {
      try metrics.expectTimer(label, [("dispatcher", "d"), ("queue", queue)]).values
    }

    private func record(_ id: UInt64, queue: String = "background") -> TaskRecord {
      TaskRecord(
        id: TaskID(id), label: nil, lane: .background, queue: queue,
        site: CallSite(fileID: "A/B.swift", line: 1), parent: nil,
        enqueuedAt: .init(nanoseconds: 1_000))
    }

    @Test("time the wait and the run of each task, by queue")
    func times() throws {
      let observer = observer
      func observe(_ kind: TaskEvent.Kind, _ record: TaskRecord, at time: Int64) {
        observer.observe(TaskEvent(kind, record, at: .init(nanoseconds: time)))
      }

      observe(.started, record(1), at: 1_500)
      observe(.started, record(2, queue: "view"), at: 3_000)
      observe(.finished(.completed), record(1), at: 1_700)
      observe(.finished(.failed(CancellationError())), record(2, queue: "view"), at: 9_000)
      // A timer waits from the time that it came due.
      observe(.due, record(3), at: 50_000)
      observe(.started, record(3), at: 50_003)
      observe(.finished(.completed), record(3), at: 50_004)
      // These have run for no time that anybody could tell.
      observe(.finished(.cancelled), record(4), at: 60_000)
      observe(.started, record(5), at: 60_000)
      observe(.finished(.abandoned), record(5), at: 70_000)

      #expect(try nanoseconds("task_dispatch_wait", "background") == [500, 3, 59_000])
      #expect(try nanoseconds("task_dispatch_run", "background") == [200, 1])
      #expect(try nanoseconds("task_dispatch_wait", "view") == [2_000])
      #expect(try nanoseconds("task_dispatch_run", "view") == [6_000])
    }

    @Test("count every task by what became of it, on a dispatcher at work")
    func counts() throws {
      let dispatcher = try UVDispatcher(
        .init(overflow: .reject(limit: 1), observer: observer))
      let gate = Latch()
      let isRunning = Latch()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view {
        isRunning.open()
        _ = gate.wait(patience)
      }
      #expect(isRunning.wait(patience))
      let waiting = view.submit { throw CancellationError() }
      #expect(!view {}.isAccepted)
      waiting.cancel()
      view.submit { throw CancellationError() }
      gate.open()
      dispatcher.runUntilIdle()
      dispatcher.beginShutdown()
      let ledger = dispatcher.run().ledger

      func total(_ outcome: String) -> Int {
        Int(
          metrics.counterTotal(
            label: "task_dispatch_tasks_total",
            dimensions: [("dispatcher", "d"), ("outcome", outcome)]))
      }
      #expect(total("completed") == ledger.completed && ledger.completed == 1)
      #expect(total("failed") == ledger.failed && ledger.failed == 1)
      #expect(total("cancelled") == ledger.cancelled && ledger.cancelled == 1)
      #expect(total("refused") == ledger.refused && ledger.refused == 1)
    }

    @Test("sample how late the loop is, and what waits and runs")
    func samples() throws {
      let dispatcher = RecordingDispatcher()
      let observer = observer
      let sampling = observer.sample(dispatcher, every: .seconds(1))
      dispatcher.background {}
      dispatcher.background {}

      try dispatcher.skipTime(by: .milliseconds(1_250))
      try dispatcher.runForegroundUntilIdle()
      try dispatcher.advanceTime(by: .seconds(1))

      let delays = try metrics.expectTimer("task_dispatch_loop_delay", [("dispatcher", "d")])
      #expect(delays.values == [250_000_000, 0])
      let waiting = try metrics.expectRecorder("task_dispatch_waiting", [("dispatcher", "d")])
      // The sampling's timer is one of them. Before the second, the others have run.
      #expect(waiting.values == [3, 1])
      let running = try metrics.expectRecorder("task_dispatch_running", [("dispatcher", "d")])
      #expect(running.values == [0, 0])
      sampling.cancel()
      try dispatcher.runUntilIdle()
      try dispatcher.finish()
    }
  }
#endif
