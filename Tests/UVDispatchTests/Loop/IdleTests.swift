import Synchronization
import TaskDispatch
import Testing

@testable import UVDispatch

extension OnePool {
  /// Tests a core without a dispatcher: no thread runs what is put there.
  @Suite("A core that holds one thing")
  struct IdleTests {
    private let bare = BareCore()
    private var core: Core { bare.core }
    private var view: UVView { bare.view }

    private func put(on lane: Lane, _ view: UVView? = nil) { bare.queued(on: lane, view) }

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
      // A view and the task that waits in it hold each other.
      _ = core.releaseEverything()
    }

    @Test("is idle and may end with a task in a suspended view")
    func inSuspendedView() {
      core.background.pool.suspend(view.pool, now: { 0 })
      put(on: .background, view)

      #expect(core.isIdle)
      #expect(core.hasNothingLeft)
      _ = core.releaseEverything()
    }

    @Test("is neither idle nor may it end with a task that runs")
    func running() {
      let task = bare.task(on: .foreground)
      core.accept(task)
      core.begin(task)

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("may end with a task that runs and was abandoned")
    func abandoned() {
      let task = bare.task(on: .foreground)
      core.accept(task)
      core.begin(task)
      task.isAbandoned = true

      #expect(core.hasNothingLeft)
    }

    @Test("is neither idle nor may it end with a callback that is to be delivered")
    func callbacks() {
      core.callbacks.append {}

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("is neither idle nor may it end with a callback that is being delivered")
    func delivery() {
      core.doors.callbackCounts.begin()

      #expect(!core.isIdle)
      #expect(!core.hasNothingLeft)
    }

    @Test("is not idle with a timer that is due, and is with one that is not")
    func timer() {
      core.put(bare.item(.timer, on: .foreground, due: .distantFuture))
      #expect(core.isIdle)

      core.put(bare.item(.timer, on: .foreground, due: .start))

      #expect(!core.isIdle)
    }
  }
}
