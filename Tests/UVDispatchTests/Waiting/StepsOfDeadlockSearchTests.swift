import TaskDispatch
import Testing

@testable import UVDispatch

#if DEBUG
  /// Debug builds count the threads, tasks and entries that a search looks at.
  @Suite("The steps of a search for deadlocks")
  struct StepsOfDeadlockSearchTests {
    /// How much one search looks at.
    private func looks(in bare: BareCore) -> Int {
      let before = bare.core.blocked.counts.looks
      let groups = AwaitedGroups(of: bare.core, onlyRunning: true)
      _ = DeadlockSearch(bare.core, groups, circlesOnly: true, mayHelp: true)
      return bare.core.blocked.counts.looks - before
    }

    @Test(
      "are a few for each thread where the bodies of two views want to enter the other one",
      arguments: [4, 6, 8, 150])
    func twoViews(count: Int) {
      let bare = BareCore(width: 2 * count, viewWidth: count)
      let views = [bare.view, bare.addView(width: count)]
      for number in 0..<2 * count {
        bare.blocked(in: views[number % 2], until: bare.caller(on: views[1 - number % 2]))
      }

      #expect(looks(in: bare) <= 4 * 2 * count)
      #expect(bare.core.blocked.threads.allSatisfy { !$0.isLive })
    }

    @Test(
      "are as many as the bodies that each thread waits for, where readers become writers",
      arguments: [false, true], [4, 6, 8, 16])
    func readersAndWriters(areFirstLast: Bool, count: Int) {
      let layers = 6
      let bare = BareCore(width: layers * count, viewWidth: count)
      let views = [bare.view] + (0..<layers).map { _ in bare.addView(width: count) }
      for layer in areFirstLast ? (0..<layers).reversed() : Array(0..<layers) {
        for _ in 0..<count {
          let writer = bare.core.makeTask(
            .caller(nil), on: .background, views[layer + 1], isBarrier: true, site: .here(),
            parent: nil)
          bare.blocked(in: views[layer], until: writer)
        }
      }

      let threads = layers * count
      #expect(looks(in: bare) <= 4 * threads + (layers - 1) * count * count)
      #expect(bare.core.blocked.threads.allSatisfy { $0.isLive })
    }

    @Test(
      "are a few for each thread in a long row, whichever way that is gone through",
      arguments: [false, true], [10, 100, 300])
    func row(isCircle: Bool, count: Int) {
      let bare = BareCore(width: count)
      let views = [bare.view] + (1..<count + 1).map { _ in bare.addView(width: 1) }
      for number in 0..<count {
        let next = isCircle && number == count - 1 ? 0 : number + 1
        bare.blocked(in: views[number], until: bare.caller(on: views[next]))
      }

      #expect(looks(in: bare) <= 5 * count)
      #expect(bare.core.blocked.threads.allSatisfy { $0.isLive != isCircle })
    }

    @Test(
      "that names the circle, and one thread to refuse, are a few for each thread",
      arguments: [10, 300])
    func answer(count: Int) throws {
      let bare = BareCore(width: count)
      let views = [bare.view] + (1..<count).map { _ in bare.addView(width: 1) }
      for number in 0..<count {
        bare.blocked(in: views[number], until: bare.caller(on: views[(number + 1) % count]))
      }
      let groups = AwaitedGroups(of: bare.core, onlyRunning: true)
      let search = DeadlockSearch(bare.core, groups, circlesOnly: true, mayHelp: true)
      let first = try #require(bare.core.blocked.threads.first)
      let before = bare.core.blocked.counts.looks

      #expect(search.victim(from: first) === bare.core.blocked.threads.last)
      #expect(search.links(after: first).count == count - 1)
      #expect(bare.core.blocked.counts.looks - before <= 5 * count)
    }
  }

  extension BareCore {
    /// A body that runs in `view`, and whose thread is blocked until `caller` is admitted.
    fileprivate func blocked(in view: UVView, until caller: QueuedTask) {
      _ = core.blocked.begin(
        .admission(caller),
        BlockedThreads.Waiter(
          task: running(on: .background, view), isLoop: false, isWorker: true, deliveries: 0,
          mayTimeOut: false))
    }

    fileprivate func addView(width: Int) -> UVView {
      let view = UVView(
        label: "other", width: width, workerWidth: width, agingStep: 100_000_000)
      core.add(view)
      return view
    }
  }
#endif
