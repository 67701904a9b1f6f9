import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// ``WorkerWakeupsTests`` has the cases in which one is wanted.
@Suite("The worker run that is started for a second body")
struct SecondRunTests {
  private let bare: BareCore
  private var core: Core { bare.core }

  init() { bare = BareCore(width: 2) }

  /// Whether another worker run is pending after a submitting thread has notified a consumer.
  private func startsAnother(_ bare: BareCore? = nil) -> Bool {
    let core = (bare ?? self.bare).core
    _ = core.workers.takePending()
    core.startAnother()
    core.reconcile()
    return core.workers.pending > 0
  }

  /// Submits a task for which a worker run is started.
  private func startLease(_ bare: BareCore? = nil) {
    let bare = bare ?? self.bare
    bare.queued()
    bare.core.reconcile()
    #expect(bare.core.workers.pending == 1)
    #expect(bare.core.workers.arriving == 1)
  }

  @Test("is one more, beside the one that is on its way")
  func second() {
    startLease()

    #expect(startsAnother())

    #expect(core.workers.searching == 2)
    #expect(core.workers.arriving == 2)
    #expect(!startsAnother())

    // One run has arrived, and looks for a task.
    core.workers.arrive()
    #expect(!startsAnother())
    _ = core.releaseEverything()
  }

  @Test("is one more for the second of two tasks, whether they are put in at once or one by one")
  func secondTask() {
    let together = BareCore(width: 2)
    together.queued()
    together.queued()
    together.core.reconcile()
    #expect(together.core.workers.pending == 2)

    startLease()
    bare.queued()
    core.reconcile()
    #expect(core.workers.pending == 2)

    // Two runs are on their way, and the one that arrives first sees to the third task.
    bare.queued()
    core.reconcile()
    #expect(core.workers.pending == 2)
    for bare in [bare, together] { _ = bare.core.releaseEverything() }
  }

  @Test("is none for a task that may not run beside the first", arguments: [false, true])
  func notBeside(isInView: Bool) {
    let view = isInView ? bare.view : nil
    bare.queued(on: .background, view)
    if isInView {
      bare.queued(on: .background, view)
    } else {
      let barrier = core.makeTask(
        .plain {}, on: .background, nil, isBarrier: true, site: .here(), parent: nil)
      core.accept(barrier)
      core.enqueue(barrier)
    }

    core.reconcile()
    core.reconcile()

    #expect(core.workers.pending == 1)
    _ = core.releaseEverything()
  }

  @Test("is none where only one body may run")
  func one() {
    let bare = BareCore(width: 1, threads: 3)
    startLease(bare)

    #expect(!startsAnother(bare))
    #expect(bare.background.beginPost())
    #expect(bare.background.post(.plainOne {}))
    #expect(bare.background.beginPost())
    #expect(!bare.background.post(.plainOne {}))
    _ = bare.core.releaseEverything()
  }
}

extension OnePool {
  @Suite("Two bodies that are posted one after the other")
  struct TwoPostsTests {
    enum Way: CaseIterable { case posted, withHandle, withPriority, whereThereIsALimit }

    @Test(
      "start two worker runs, before one of them has come", arguments: [false, true], Way.allCases)
    func two(isMade: Bool, way: Way) throws {
      let dispatcher = try UVDispatcher(
        .init(
          backgroundWidth: 2, overflow: way == .whereThereIsALimit ? .reject(limit: 3) : .unbounded)
      )
      let queue =
        isMade ? dispatcher.makeQueue(label: "made", width: 2) : dispatcher.background
      let gate = try holdEveryThread()

      let together = Latch(2)
      let counts = (0..<3).map { _ in
        switch way {
        case .posted, .whereThereIsALimit: queue { together.open() }
        case .withHandle: queue.submit { together.open() }
        case .withPriority: queue.async(priority: .high) { together.open() }
        }
        return dispatcher.engine.withCore { [$0.workers.searching, $0.workers.arriving] }
      }

      #expect(counts == [[1, 1], [2, 2], [2, 2]])
      gate.open()
      dispatcher.waitUntil {
        $0.accounts.ledger.completed == 3 && $0.workers.arriving == 0 && $0.workers.searching == 0
      }
    }

    @Test("start two worker runs when the queue goes on that they wait in")
    func resumed() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let queue = dispatcher.makeQueue(label: "made", width: 2)
      let gate = try holdEveryThread()
      let together = Latch(2)
      queue.suspend()
      for _ in 0..<2 {
        queue {
          together.open()
          together.hold(patience)
        }
      }

      queue.resume()

      #expect(
        dispatcher.engine.withCore { [$0.workers.searching, $0.workers.arriving] } == [2, 2])
      gate.open()
      dispatcher.waitUntil {
        $0.accounts.ledger.completed == 2 && $0.workers.arriving == 0 && $0.workers.searching == 0
      }
    }

    /// Holds every thread of the pool, so that worker runs can be started and none arrives before the gate is
    /// open.
    private func holdEveryThread() throws -> Latch {
      let gate = Latch()
      let threads = try ThreadPool.threads()
      let held = Latch(threads)
      for _ in 0..<threads {
        WorkerRuns.start {
          held.open()
          gate.hold(patience)
        }
      }
      #expect(held.wait(patience))
      return gate
    }
  }
}
