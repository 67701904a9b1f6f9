#if Daemon
  import TestSupport
  import CoreMetrics
  import MetricsTestKit
  import TaskDispatch
  import Testing
  import UVDispatch

  import TaskDispatchTesting
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

      for (id, queue) in [(1, "background"), (2, "view"), (3, "background"), (4, "background")] {
        observe(.enqueued, record(UInt64(id), queue: queue), at: 1_000)
      }
      observe(.enqueued, record(5), at: 1_000)
      observe(.started, record(1), at: 1_500)
      observe(.started, record(2, queue: "view"), at: 3_000)
      observe(.finished(.completed), record(1), at: 1_700)
      observe(.finished(.failed(CancellationError())), record(2, queue: "view"), at: 9_000)
      // A timer waits from the time at which it came due.
      observe(.due, record(3), at: 50_000)
      observe(.started, record(3), at: 50_003)
      observe(.finished(.completed), record(3), at: 50_004)
      // No run time is known for these: one never started, and the other was abandoned.
      observe(.finished(.cancelled), record(4), at: 60_000)
      observe(.started, record(5), at: 60_000)
      observe(.finished(.abandoned), record(5), at: 70_000)

      #expect(try nanoseconds("task_dispatch_wait", "background") == [500, 3, 59_000])
      #expect(try nanoseconds("task_dispatch_run", "background") == [200, 1])
      #expect(try nanoseconds("task_dispatch_wait", "view") == [2_000])
      #expect(try nanoseconds("task_dispatch_run", "view") == [6_000])
    }

    /// The events of one task, at 1000 ns and later, and two of them that one thread reports in that order.
    struct Story: CustomTestStringConvertible {
      let testDescription: String
      let events: [(kind: TaskEvent.Kind, time: Int64)]
      let inOrder: (Int, Int)?
      let wait: [Int64]
      let run: [Int64]

      static let all = [
        Story(
          testDescription: "a body",
          events: [(.enqueued, 1_000), (.started, 1_500), (.finished(.completed), 1_700)],
          inOrder: (1, 2), wait: [500], run: [200]),
        Story(
          testDescription: "a body that is abandoned",
          events: [(.enqueued, 1_000), (.started, 1_500), (.finished(.abandoned), 9_000)],
          inOrder: nil, wait: [500], run: []),
        Story(
          testDescription: "a timer",
          events: [
            (.enqueued, 1_000), (.due, 5_000), (.started, 5_300), (.finished(.completed), 5_900),
          ],
          inOrder: (2, 3), wait: [300], run: [600]),
        Story(
          testDescription: "a timer that is cancelled once it has come due",
          events: [(.enqueued, 1_000), (.due, 5_000), (.finished(.cancelled), 5_100)],
          inOrder: nil, wait: [], run: []),
        Story(
          testDescription: "what is cancelled while it waits",
          events: [(.enqueued, 1_000), (.finished(.cancelled), 2_000)], inOrder: nil, wait: [],
          run: []),
        Story(
          testDescription: "what expires",
          events: [(.enqueued, 1_000), (.finished(.expired), 2_000)], inOrder: nil, wait: [],
          run: []),
        Story(
          testDescription: "a sleep",
          events: [(.enqueued, 1_000), (.due, 5_000), (.finished(.completed), 5_000)],
          inOrder: (1, 2), wait: [], run: []),
        Story(
          testDescription: "a refusal", events: [(.refused(.limitReached), 1_000)], inOrder: nil,
          wait: [], run: []),
      ]
    }

    @Test("are right in whatever order several threads tell of a task", arguments: Story.all)
    func anyOrder(story: Story) throws {
      var orders = 0
      for order in permutations(of: Array(story.events.indices)) {
        if let (first, second) = story.inOrder,
          order.firstIndex(of: first)! > order.firstIndex(of: second)!
        {
          continue
        }
        orders += 1
        let metrics = TestMetrics()
        let observer = MetricsObserver(dispatcher: "d", factory: metrics)
        for index in order {
          let (kind, time) = story.events[index]
          observer.observe(TaskEvent(kind, record(1), at: .init(nanoseconds: time)))
        }

        func samples(_ label: String) -> [Int64] {
          metrics.timers.filter { $0.label == label }.flatMap(\.values)
        }
        let hasRun = story.events.contains { $0.kind == .started }
        // An observer that hears of `due` last has already taken the wait from the submission.
        let isDueLast = hasRun && story.events[order.last!].kind == .due
        let wait = isDueLast ? [4_300] : story.wait
        #expect(samples("task_dispatch_wait") == wait, "\(order)")
        #expect(samples("task_dispatch_run") == story.run, "\(order)")
        #expect(observer.openStories == 0, "\(order)")
        #expect(metrics.counters.map(\.totalValue) == [1])
      }
      #expect(orders > 0)
    }

    @Test("keep nothing of timers that are told to be due when all is over")
    func dueTooLate() {
      var stories = TaskStories()
      for number in 0..<10_000 as Range<UInt64> {
        for (kind, time) in [(.enqueued, 1), (.started, 2), (.finished(.completed), 3), (.due, 2)]
          as [(TaskEvent.Kind, Int64)]
        {
          _ = stories.hear(TaskEvent(kind, record(number), at: .init(nanoseconds: time)))
        }
      }
      #expect(stories.count == 0)
      #expect(stories.earlyCount <= 64)
    }

    @Test("time no sleep, and keep nothing of what has ended, whatever that was")
    func leftovers() throws {
      let metrics = TestMetrics()
      let observer = MetricsObserver(dispatcher: "d", factory: metrics)
      let dispatcher = RecordingDispatcher(.init(observer: observer))
      try dispatcher.runAsync(movingTime: true) {
        // The jobs around the sleep are tasks of the foreground. The sleep itself is a task that never runs.
        try await dispatcher.clock.sleep(for: .seconds(1))
        let sleeper = Task(executorPreference: dispatcher.background.executor) {
          try await dispatcher.clock.sleep(for: .seconds(3600))
        }
        await dispatcher.background.flush()
        sleeper.cancel()
        _ = await sleeper.result
      }
      let repeating = dispatcher.background.every(.seconds(1), label: "tick") {}
      dispatcher.background.after(.seconds(1), label: "expires", timeToLive: .seconds(1)) {}
      try dispatcher.advanceTime(by: .seconds(1), driving: .loop)
      try dispatcher.skipTime(by: .seconds(2))
      try dispatcher.runUntilIdle()
      repeating.cancel()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view { try? view.dispatcher.foreground.sync {} }
      dispatcher.background.after(.seconds(5)) {}
      try dispatcher.runUntilIdle()
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      try dispatcher.runUntilIdle()
      dispatcher.background {}

      #expect(dispatcher.report != nil)
      #expect(observer.openStories == 0)
      let ledger = dispatcher.ledger
      let starts = dispatcher.history.count { $0.kind == .started }
      let runs = metrics.timers(label: "task_dispatch_run").flatMap(\.values).count
      #expect(runs == starts && runs < ledger.completed)
      let total = metrics.counters(label: "task_dispatch_tasks_total").map(\.totalValue)
      #expect(total.reduce(0, +) == Int64(ledger.submitted))
      try dispatcher.finish()
    }

    @Test("keep nothing of what threads tell of as they race")
    func race() throws {
      let metrics = TestMetrics()
      let observer = MetricsObserver(dispatcher: "d", factory: metrics)
      let dispatcher = try UVDispatcher(.init(observer: observer))
      try dispatcher.start()
      let all = Latch(6_000)
      for number in 0..<2_000 {
        dispatcher.background { all.open() }
        dispatcher.background.after(.microseconds(number)) { all.open() }
        let cancelled = dispatcher.background.after(.microseconds(number / 2)) {}
        dispatcher.foreground {
          cancelled.cancel()
          all.open()
        }
      }
      #expect(all.wait(patience))
      dispatcher.beginShutdown()
      while dispatcher.report == nil {}

      // The report is made only when the observer has returned from all its calls.
      #expect(observer.openStories == 0)
      let total = metrics.counters(label: "task_dispatch_tasks_total").map(\.totalValue)
      #expect(total.reduce(0, +) == 8_000)
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
      // The sampling's own timer is one of those that wait. Before the second sample, the others have run.
      #expect(waiting.values == [3, 1])
      let running = try metrics.expectRecorder("task_dispatch_running", [("dispatcher", "d")])
      #expect(running.values == [0, 0])
      sampling.cancel()
      try dispatcher.runUntilIdle()
      try dispatcher.finish()
    }
  }

  private func permutations(of elements: [Int]) -> [[Int]] {
    guard !elements.isEmpty else { return [[]] }
    return elements.flatMap { first in
      permutations(of: elements.filter { $0 != first }).map { [first] + $0 }
    }
  }
#endif
