import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Jobs of Tasks that stand in a suspended view when a shutdown ends")
  struct StrandedJobTests {
    @Test("do not hold it up, and go on elsewhere")
    func goOn() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let task = Task(executorPreference: view.executor) { 12 }
      let resident = Resident(on: view)
      async let entering: Void = resident.enter()

      let report = await onOtherThread {
        dispatcher.waitUntil { $0.accounts.ledger.waiting == 2 }
        dispatcher.beginShutdown()
        return dispatcher.run()
      }

      #expect(report.ledger.balances)
      #expect(report.ledger.waiting == 0)
      #expect(await task.value == 12)
      await entering
      #expect(await resident.entered == 1)
    }

    @Test("and jobs of the same actor that come after them run one at a time", arguments: [1, 20])
    func oneAtATime(rounds: Int) async throws {
      for _ in 0..<rounds {
        let dispatcher = try UVDispatcher()
        let view = dispatcher.makeQueue(label: "held", width: 1)
        let resident = Resident(on: view)
        view.suspend()
        try dispatcher.start()
        await withTaskGroup { group in
          for _ in 0..<20 { group.addTask { await resident.enter() } }
          await onOtherThread { dispatcher.waitUntil { $0.accounts.ledger.waiting > 0 } }
          dispatcher.beginShutdown()
          await onOtherThread { dispatcher.waitUntil { $0.closing.report != nil } }
          view.resume()
          for _ in 0..<20 { group.addTask { await resident.enter() } }
        }
        #expect(await resident.most == 1)
        #expect(await resident.entered == 40)
      }
    }

    @Test("are not lost if they come after the report, and before the loop has ended")
    func betweenReportAndEnd() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let (gate, hasReport, wasHeld) = (Latch(), Latch(), Box(false))
      let isOver = Latch()
      // Holds the loop's thread between the report and the end of the loop.
      dispatcher.engine.withCore { core in
        core.closing.add { _ in
          hasReport.open()
          wasHeld.value = gate.wait(patience)
          isOver.open()
        }
      }
      try dispatcher.start()
      dispatcher.beginShutdown()
      #expect(await onOtherThread { hasReport.wait(patience) })
      let resident = Resident(on: view)
      let task = Task(executorPreference: view.executor) { 12 }
      async let entering: Void = resident.enter()

      #expect(await task.value == 12)
      await entering
      #expect(await resident.entered == 1)
      gate.open()
      #expect(await onOtherThread { isOver.wait(patience) })
      #expect(wasHeld.value, "they wait for the end of the loop")
    }

    @Test(
      "and one that comes to the actor later, once the view is resumed, waits for them",
      arguments: [false, true])
    func afterResuming(whileLoopRuns: Bool) async throws {
      let (started, gate, loopMayEnd) = (Latch(), Latch(), Latch())
      let holdsLoop = HoldsLoop(until: loopMayEnd)
      let dispatcher = try UVDispatcher(.init(observer: whileLoopRuns ? holdsLoop : nil))
      let view = dispatcher.makeQueue(label: "held", width: 1)
      let resident = Holder(on: view)
      view.suspend()
      try dispatcher.start()
      await withTaskGroup { group in
        group.addTask { await resident.hold(started, gate) }
        await onOtherThread { dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 } }
        dispatcher.beginShutdown()
        #expect(await onOtherThread { started.wait(patience) })
        view.resume()
        group.addTask { await resident.enter() }
        await onOtherThread {
          dispatcher.waitUntil { $0.late.waiting.count == 1 || resident.most > 1 }
        }
        gate.open()
        loopMayEnd.open()
      }
      #expect(resident.most == 1)
      if whileLoopRuns {
        #expect(await onOtherThread { holdsLoop.isOver.wait(patience) })
        #expect(holdsLoop.wasLetGo.value, "they wait for the end of the loop")
      }
    }

    @Test("go the same way as those that wait in the view still, for want of a worker")
    func behindThoseThatWait() async throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let view = dispatcher.makeQueue(label: "held", width: 1)
      let holder = Holder(on: view)
      let (reported, end) = (Latch(), Latch())
      let (first, second) = (Hold(), Hold())
      try dispatcher.start()
      // The loop does not end while the job of this Task runs.
      let keeper = Task(executorPreference: dispatcher.background.executor) {
        _ = await dispatcher.shutdown()
        reported.open()
        _ = end.wait(patienceWithTasks)
      }
      #expect(await onOtherThread { reported.wait(patienceWithTasks) })
      await withTaskGroup { group in
        group.addTask { await holder.hold(first.started, first.gate) }
        await onOtherThread { dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 } }
        view.suspend()
        group.addTask { await holder.hold(second.started, second.gate) }

        #expect(await onOtherThread { first.started.wait(patience) })
        await onOtherThread { dispatcher.waitUntil { $0.late.waiting.count == 1 } }
        view.resume()
        end.open()
        await keeper.value
        #expect(!second.started.isOpen)
        first.gate.open()
        #expect(await onOtherThread { second.started.wait(patience) })
        second.gate.open()
      }
      #expect(holder.most == 1)
    }

    private struct Hold {
      let started = Latch()
      let gate = Latch()
    }

    @Test("have all that come to that view go the same way, from the report on")
    func sameWay() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let task = Task(executorPreference: view.executor) { 12 }
      await onOtherThread { dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 } }

      // If the view were resumed before the job is handed on, it would otherwise take the job back.
      let isStranded = dispatcher.engine.withCore { core in
        core.beginShutdown(ShutdownPolicy())
        core.conclude()
        return (view.view as? UVView)?.isStranded
      }

      #expect(isStranded == true)
      #expect(await task.value == 12)
      _ = await onOtherThread { dispatcher.run() }
    }

    @Test("of an actor wait for one of it that a shutdown has given up")
    func behindAbandoned() async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "home", width: 1)
      let (started, gate) = (Latch(), Latch())
      let resident = Holder(on: view)
      try dispatcher.start()
      await withTaskGroup { group in
        group.addTask { await resident.hold(started, gate) }
        #expect(await onOtherThread { started.wait(patience) })
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
        _ = await dispatcher.waitForReport()
        for _ in 0..<10 { group.addTask { await resident.enter() } }
        // The thread that will run them waits for the job that still runs, and the test waits for that thread.
        await onOtherThread {
          // One thread runs all of them. The loop's thread may be blocked too before it ends, so the loop must
          // be over.
          dispatcher.waitUntil {
            $0.loop.isOver && $0.late.waiting.count == 10 && $0.blocked.threads.count == 2
          }
        }
        gate.open()
      }
      #expect(resident.most == 1)
    }
  }
}

/// Holds the loop's thread between the report and the end of the loop, while it reports the job that the
/// shutdown has given up.
private final class HoldsLoop: TaskObserver {
  let wasLetGo = Box(false)
  let isOver = Latch()
  private let isHeld = Box(false)
  private let latch: Latch

  init(until latch: Latch) { self.latch = latch }

  func observe(_ event: TaskEvent) {
    guard case .finished(.abandoned) = event.kind, isHeld.raise() else { return }
    wasLetGo.value = latch.wait(patience)
    isOver.open()
  }
}

/// An actor that has a call which holds its queue.
private actor Holder {
  private let queue: TaskQueue
  private nonisolated let meter = Meter()

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

  init(on queue: TaskQueue) { self.queue = queue }

  func enter() { meter.count {} }

  func hold(_ started: Latch, _ gate: Latch) {
    meter.count {
      started.open()
      gate.hold(patience)
    }
  }

  nonisolated var most: Int { meter.most }
}
