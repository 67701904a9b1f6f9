import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Jobs of Tasks that arrive after the end")
  struct LateJobTests {
    @Test("run, whatever queue they prefer, a thousand of them")
    func allRun() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 2)
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      var sum = 0
      for queue in [dispatcher.foreground, dispatcher.background, view] {
        sum += await withTaskGroup(of: Int.self) { group in
          for _ in 0..<1_000 { group.addTask(executorPreference: queue.executor) { 1 } }
          return await group.reduce(0, +)
        }
      }

      #expect(sum == 3_000)
    }

    @Test("of an actor on the foreground run one at a time, and at home")
    func actorOnForeground() async throws {
      let dispatcher = try UVDispatcher()
      let counter = Resident(on: dispatcher.foreground)
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      await withTaskGroup { group in
        for _ in 0..<500 { group.addTask { await counter.enter() } }
      }

      #expect(await counter.most == 1)
      #expect(await counter.entered == 500)
      #expect(await counter.isAtHome)
    }

    @Test("of an actor on a view of width 1 run one at a time")
    func actorOnView() async throws {
      let dispatcher = try UVDispatcher()
      let counter = Resident(on: dispatcher.makeQueue(label: "home", width: 1))
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      await withTaskGroup { group in
        for _ in 0..<500 { group.addTask { await counter.enter() } }
      }

      #expect(await counter.most == 1)
      #expect(await counter.entered == 500)
    }

    /// Blocks its queue until its gate is open.
    private actor Keeper {
      private let queue: TaskQueue
      let begun = Latch()
      let gate = Latch()
      nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

      init(on queue: TaskQueue) { self.queue = queue }

      func keep() {
        begun.open()
        _ = gate.wait(patienceWithTasks)
      }
    }

    @Test("of one queue wait for none of another")
    func ofSeveralQueues() async throws {
      let dispatcher = try UVDispatcher()
      let keeper = Keeper(on: dispatcher.makeQueue(label: "kept", width: 1))
      let other = Resident(on: dispatcher.makeQueue(label: "other", width: 1))
      try dispatcher.start()
      _ = await dispatcher.shutdown()
      let kept = Task { await keeper.keep() }
      #expect(await onOtherThread { keeper.begun.wait(patienceWithTasks) })

      await other.enter()
      await Task(executorPreference: dispatcher.foreground.executor) {}.value

      keeper.gate.open()
      await kept.value
    }

    @Test("of queues whose bodies were given up run when those have ended, each for itself")
    func behindAbandonedBodies() async throws {
      let dispatcher = try UVDispatcher()
      let views = (0..<2).map { dispatcher.makeQueue(label: "\($0)", width: 1) }
      let begun = Latch(2)
      let gates = [Latch(), Latch()]
      for (view, gate) in zip(views, gates) {
        view {
          begun.open()
          _ = gate.wait(patienceWithTasks)
        }
      }
      let loop = OtherThread { dispatcher.run() }
      #expect(await onOtherThread { begun.wait(patienceWithTasks) })
      let report = await dispatcher.shutdown(.init(drain: .zero, cancel: .zero))
      #expect(report.ledger.abandoned == 2)
      // Before the loop has ended, jobs could still come into their queues.
      #expect(await onOtherThread { loop.join() })
      let keeper = Keeper(on: views[0])
      let other = Resident(on: views[1])
      let kept = Task { await keeper.keep() }
      let entered = Task { await other.enter() }
      await onOtherThread { dispatcher.waitUntil { $0.late.waiting.count == 2 } }
      #if DEBUG
        // One thread waits for both bodies.
        #expect(dispatcher.engine.withCore { $0.late.startedThreads } == 1)
      #endif

      gates[0].open()
      #expect(await onOtherThread { keeper.begun.wait(patienceWithTasks) })
      gates[1].open()
      await entered.value

      keeper.gate.open()
      await kept.value
    }

    @Test("that prefer the foreground never overlap, and count as it")
    func foregroundJobs() async throws {
      let dispatcher = try UVDispatcher()
      let meter = Meter()
      let atHome = Box(0)
      try dispatcher.start()
      _ = await dispatcher.shutdown()

      await withTaskGroup { group in
        for _ in 0..<500 {
          group.addTask(executorPreference: dispatcher.foreground.executor) {
            meter.count { if dispatcher.isForeground { atHome.increment() } }
          }
        }
      }

      #expect(meter.most == 1)
      #expect(atHome.value == 500)
    }

    @Test("that prefer the foreground wait for the one that runs, however long it does")
    func behindOne() async throws {
      let dispatcher = try UVDispatcher()
      let meter = Meter()
      let (started, gate) = (Latch(), Latch())
      try dispatcher.start()
      dispatcher.end()

      await withTaskGroup { group in
        group.addTask(executorPreference: dispatcher.foreground.executor) {
          meter.count {
            started.open()
            gate.hold(patience)
          }
        }
        #expect(started.wait(patience))
        // One by one: if each got a thread, some would run by the time the last has come.
        for number in 1...50 {
          group.addTask(executorPreference: dispatcher.foreground.executor) { meter.count {} }
          dispatcher.waitUntil { $0.late.waiting.count == number || meter.most > 1 }
        }
        gate.open()
      }

      #expect(meter.most == 1)
    }

    @Test("while the report is being handed out, run before or after it, never neither")
    func aroundTheEnd() async throws {
      for _ in 0..<50 {
        let dispatcher = try UVDispatcher()
        try dispatcher.start()
        async let report = dispatcher.shutdown()
        let sum = await withTaskGroup(of: Int.self) { group in
          for number in 0..<20 {
            let queue = number.isMultiple(of: 2) ? dispatcher.foreground : dispatcher.background
            group.addTask(executorPreference: queue.executor) { 1 }
          }
          return await group.reduce(0, +)
        }

        #expect(sum == 20)
        #expect(await report.ledger.balances)
      }
    }

    @Test("of Tasks that await the shutdown itself, on its own foreground, run")
    func awaitersOnForeground() async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let wasAtHome = await Task(executorPreference: dispatcher.foreground.executor) {
        let before = dispatcher.isForeground
        _ = await dispatcher.shutdown()
        return (before, dispatcher.isForeground)
      }.value

      #expect(wasAtHome == (true, true))
    }
  }
}
