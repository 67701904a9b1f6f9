import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// One running-task context and one count of running tasks serve all the bodies that a thread runs without a
  /// break. No body may notice that.
  @Suite("A plain body that follows another on its thread")
  struct BatchTests {
    private let dispatcher: UVDispatcher

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    private var lanes: [TaskQueue] { [dispatcher.foreground, dispatcher.background] }

    /// A gate that holds `queue`: what is posted to `queue` before it opens does not start before that.
    private func gate(before queue: TaskQueue) -> Latch {
      let gate = Latch()
      queue { _ = gate.wait(patienceWithTasks) }
      return gate
    }

    @Test("has its own place and its own number")
    func own() throws {
      for queue in lanes {
        let gate = gate(before: queue)
        let (lines, ids) = (Box<[UInt]>([]), Box(Set<UInt64>()))
        @Sendable func note() {
          lines.change { $0.append(UInt(CurrentTask.site?.line ?? 0)) }
          ids.change { _ = $0.insert(dispatcher.engine.currentTask?.id ?? 0) }
        }
        let line: UInt = #line
        queue { note() }
        queue { note() }
        queue { note() }
        gate.open()

        dispatcher.runUntilIdle()

        #expect(lines.value == [line + 1, line + 2, line + 3])
        #expect(ids.value.count == 3)
      }
    }

    @Test("is counted like any other")
    func counted() throws {
      let seen = Box<Ledger?>(nil)
      for queue in lanes {
        let gate = gate(before: queue)
        for _ in 0..<9 { queue {} }
        queue { seen.value = dispatcher.ledger }
        for _ in 0..<10 { queue {} }
        gate.open()
        dispatcher.runUntilIdle()

        let ledger = try #require(seen.value)
        #expect(ledger.running == 1)
        #expect(ledger.waiting >= 10)
        #expect(ledger.balances)
      }

      #expect(dispatcher.ledger.completed == 42)
      #expect(dispatcher.ledger.waiting == 0)
      #expect(dispatcher.ledger.running == 0)
      #expect(dispatcher.ledger.balances)
    }

    @Test("does not keep a flush that was to wait for the other")
    func flush() async throws {
      try dispatcher.start()
      for queue in lanes {
        let gate = gate(before: queue)
        dispatcher.waitUntil { $0.running.all.contains { $0.queue == queue.identity } }
        let (flushed, ended) = (Latch(), Latch())
        Task {
          await queue.flush()
          flushed.open()
        }
        await onOtherThread { dispatcher.waitUntil { !$0.running.flushes.isEmpty } }
        queue {
          // If nothing completes the flush, this wait ends by its time-out.
          #expect(flushed.wait(patienceWithTasks))
          ended.open()
        }

        gate.open()

        #expect(await onOtherThread { ended.wait(patienceWithTasks) })
      }
      _ = await dispatcher.shutdown()
    }

    @Test("lets timers that are due run in between")
    func timers() {
      let order = Box<[String]>([])
      dispatcher.foreground.after(.nanoseconds(1)) { order.change { $0.append("timer") } }
      dispatcher.foreground.after(.nanoseconds(1)) { order.change { $0.append("timer") } }
      for _ in 0..<3 { dispatcher.foreground { order.change { $0.append("posted") } } }

      dispatcher.runUntilIdle()

      #expect(order.value == ["timer", "posted", "timer", "posted", "posted"])
    }
  }
}

@Suite("A worker that takes one plain body after the other")
struct TakingSuccessorsTests {
  private let bare = BareCore(width: 2)
  private var core: Core { bare.core }
  private var mayStart: Bool { core.doors.hints.taskMayStart }

  /// A worker that runs one body, while `count` more wait in the inbox and have not been drained.
  private func worker(before count: Int) -> BatchContext {
    let context = core.makeContext(on: .background)
    bare.post()
    #expect(core.beginOnWorker(in: context) != nil)
    for _ in 0..<count { bare.post() }
    return context
  }

  @Test("drains what was posted as it ran, and hints to searching workers that there is more")
  func hint() {
    let context = worker(before: 2)
    core.workers.beginSearch()

    #expect(core.takeNextOfBatch(in: context, at: 7) != nil)
    #expect(mayStart)
    #expect(context.enqueuedAt == 7)

    #expect(core.takeNextOfBatch(in: context, at: 8) != nil)
    #expect(!mayStart)
    #expect(core.takeNextOfBatch(in: context, at: 9) == nil)
    #expect(core.background.pool.busyWorkers == 1)
    #expect(core.accounts.ledger.completed == 2)
    #expect(context.enqueuedAt == 8)
  }

  @Test("ends its body by hand if a flush waits for that")
  func flush() {
    let context = worker(before: 0)
    core.addFlush(of: context.queue) {}
    bare.post()

    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)

    core.finish(context, .completed, nil)
    #expect(core.running.flushes.isEmpty)
  }

  @Test("leaves a task that is more than a plain body to others")
  func task() {
    let context = worker(before: 0)
    let task = bare.queued()

    #expect(core.takeNextOfBatch(in: context, at: 0) == nil)

    #expect(core.beginOnWorker() === task)
  }
}
