import Synchronization
import TaskDispatch
import Testing

@testable import UVDispatch

extension OnePool {
  /// Asked of a core without a dispatcher: nobody runs what is put there.
  @Suite("A core that holds one thing")
  struct IdleTests {
    private let core = Core(UVDispatcher.Configuration(), width: 1, origin: 0)
    private let view = UVView(
      label: "view", width: 1, workerWidth: 1, agingStep: 100_000_000)

    init() { core.add(view) }

    private func put(on lane: Lane, _ view: UVView? = nil) {
      let task = makeTask(on: lane, view)
      core.accept(task)
      core.enqueue(task)
    }

    private func makeTask(on lane: Lane, _ view: UVView? = nil) -> QueuedTask {
      core.makeTask(
        .plain {}, on: lane, view, site: CallSite(fileID: #fileID, line: #line), parent: nil)
    }

    @Test("is idle, and may end, without it")
    func nothing() {
      #expect(core.isIdle)
      #expect(core.hasNothingLeft)
    }

    @Test("is neither idle nor may it end with a task in a queue", arguments: Lane.allCases)
    func queued(lane: Lane) {
      put(on: lane)

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("is neither idle nor may it end with a task in a view")
    func inView() {
      put(on: .background, view)

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
      // A view and what waits in it hold each other.
      _ = core.releaseEverything()
    }

    @Test("is idle and may end with a task in a suspended view")
    func inSuspendedView() {
      core.pool.suspend(view.pool, now: { 0 })
      put(on: .background, view)

      #expect(core.isIdle)
      #expect(core.hasNothingLeft)
      _ = core.releaseEverything()
    }

    @Test("is neither idle nor may it end with a task that runs")
    func running() {
      let task = makeTask(on: .foreground)
      core.accept(task)
      core.begin(task)

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("may end with a task that runs and was abandoned")
    func abandoned() {
      let task = makeTask(on: .foreground)
      core.accept(task)
      core.begin(task)
      task.abandon()

      #expect(core.hasNothingLeft)
    }

    @Test("is neither idle nor may it end with somebody who is to be told")
    func outbox() {
      core.outbox.append {}

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("is neither idle nor may it end with somebody who is being told")
    func delivery() {
      core.deliveries.add(1, ordering: .relaxed)

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("is not idle with a timer that is due, and is with one that is not")
    func timer() {
      let task = makeTask(on: .foreground)
      core.schedule(task, at: .distantFuture)
      #expect(core.isIdle)

      core.schedule(makeTask(on: .foreground), at: .start)

      #expect(!core.isIdle)
    }
  }
}
