import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// A thread that resumes a Task calls the Task's executor, which is user code.
  @Suite("The report of a shutdown comes at its deadline, although an executor keeps the thread")
  struct ExecutorsThatWaitTests {
    private static let policy = ShutdownPolicy(drain: .milliseconds(10), cancel: .milliseconds(10))

    /// Runs each job on a thread of its own. Once it is armed, it blocks the thread that hands it a job.
    private final class Keeper: TaskExecutor {
      let isArmed = Flag()
      let kept = Latch()
      let gate = Latch()
      /// Opens when a job has ended, so that its Task waits.
      let suspended = Latch()

      func enqueue(_ job: UnownedJob) {
        if isArmed.isRaised {
          kept.open()
          _ = gate.wait(patienceWithTasks)
        }
        _ = OtherThread {
          unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
          self.suspended.open()
        }
      }
    }

    /// Once it is armed, blocks the thread that reports that a job was enqueued.
    private final class Observer: TaskObserver {
      let kept = Latch()
      let gate = Latch()
      let isArmed = Flag()

      func observe(_ event: TaskEvent) {
        guard isArmed.isRaised, event.kind == .enqueued else { return }
        kept.open()
        _ = gate.wait(patienceWithTasks)
      }
    }

    /// A task that only the end of `dispatcher` cancels.
    private func held(by dispatcher: UVDispatcher) -> TaskHandle<Void> {
      let queue = dispatcher.makeQueue(label: "held", width: 1)
      queue.suspend()
      return queue.submit {}
    }

    @Test("that resumes what waits for a task: an observer of the dispatcher's own executor waits")
    func ownExecutor() throws {
      let observer = Observer()
      let dispatcher = try UVDispatcher(.init(observer: observer))
      let handle = held(by: dispatcher)
      let (waits, ended) = (Latch(), Latch())
      Task(executorPreference: dispatcher.background.executor) {
        waits.open()
        _ = await handle.outcome
        ended.open()
      }
      #expect(waits.wait(patienceWithTasks))
      dispatcher.waitUntil { $0.running.isEmpty }
      observer.isArmed.raise()

      dispatcher.beginShutdown(Self.policy)

      // No thread runs the loop, so the deadline's own threads do everything.
      let report = try dispatcher.waitForReport(timeout: patience)
      #expect(report.ledger.cancelled == 1)
      #expect(observer.kept.wait(patience))
      observer.gate.open()
      #expect(ended.wait(patienceWithTasks))
    }

    @Test("that resumes what waits for a task, and other Tasks have the report")
    func executorOfAWaiter() async throws {
      let dispatcher = try UVDispatcher()
      // No thread runs the loop, so this task is cancelled at the deadline.
      let handle = dispatcher.foreground.submit {}
      let keeper = Keeper()
      let ended = Task(executorPreference: keeper) { await handle.outcome }
      let reported = Task { await dispatcher.waitForReport().ledger.cancelled }
      await onOtherThread {
        #expect(keeper.suspended.wait(patienceWithTasks))
        dispatcher.waitUntil { !$0.closing.tasks.isEmpty }
        keeper.isArmed.raise()
      }
      // On another thread, since the executor may block it.
      let caller = OtherThread { dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero)) }

      #expect(await reported.value == 1)
      keeper.gate.open()
      #expect(await ended.value == .cancelled)
      #expect(await onOtherThread { caller.join() })
    }

    @Test("that resumes what waits for a body given up with the report, and all others have that")
    func executorOfAnAbandonedBody() async throws {
      let dispatcher = try UVDispatcher()
      let (keeper, begun, gate) = (Keeper(), Latch(), Latch())
      let (mayEnd, ended) = (Latch(), Latch())
      // A body that asks for the end may run on until the report.
      let handle = dispatcher.background.submit {
        begun.open()
        _ = gate.wait(patienceWithTasks)
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
        #expect(mayEnd.wait(patienceWithTasks))
        ended.open()
      }
      let awaited = Task(executorPreference: keeper) { await handle.outcome }
      let reported = Task { await dispatcher.waitForReport().ledger.abandoned }
      let thread = OtherThread { _ = try? dispatcher.waitForReport() }
      await onOtherThread {
        #expect(begun.wait(patienceWithTasks) && keeper.suspended.wait(patienceWithTasks))
        dispatcher.waitUntil { !$0.closing.tasks.isEmpty && !$0.closing.threads.isEmpty }
        keeper.isArmed.raise()
        gate.open()
        #expect(thread.join())
      }

      #expect(await reported.value == 1)
      #expect(await onOtherThread { keeper.kept.wait(patience) })
      keeper.gate.open()
      #expect(await awaited.value == .abandoned)
      mayEnd.open()
      #expect(await onOtherThread { ended.wait(patience) })
    }

    @Test("that gives the report to a Task, and threads and other Tasks have it")
    func executorOfTheReport() async throws {
      let dispatcher = try UVDispatcher()
      let keeper = Keeper()
      let reported = Task(executorPreference: keeper) {
        await dispatcher.waitForReport().ledger.cancelled
      }
      await onOtherThread { dispatcher.waitUntil { $0.closing.tasks.count == 1 } }
      // Behind the first Task.
      let other = Task { await dispatcher.waitForReport().ledger.cancelled }
      let (caller, report) = try await onOtherThread {
        dispatcher.waitUntil { $0.closing.tasks.count == 2 }
        keeper.isArmed.raise()
        let caller = OtherThread {
          // The thread has to wait for the report behind the Task.
          dispatcher.waitUntil { !$0.closing.threads.isEmpty }
          dispatcher.beginShutdown(Self.policy)
        }
        let report = try dispatcher.waitForReport(timeout: patience)
        #expect(keeper.kept.wait(patience))
        return (caller, report)
      }

      #expect(await other.value == report.ledger.cancelled)
      keeper.gate.open()
      #expect(await reported.value == report.ledger.cancelled)
      #expect(await onOtherThread { caller.join() })
    }
  }
}
