import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

#if DEBUG
  extension OnePool {
    /// Debug builds count the searches for deadlocks, and the threads that are woken to check again.
    @Suite("Many threads that are blocked")
    struct StepsOfWaitsTests {
      private struct Steps: Equatable {
        var (searches, looks, flags) = (0, 0, 0)

        init(of dispatcher: UVDispatcher) {
          (searches, looks, flags) = dispatcher.engine.withCore {
            ($0.blocked.counts.searches, $0.blocked.counts.looks, $0.blocked.counts.flags)
          }
        }
      }

      private static let width = 102

      /// A hundred bodies wait for a queue in which another body runs.
      private static func holdUpAHundred(
        _ body: (UVDispatcher, TaskQueue) throws -> Void
      ) throws {
        unsafe setenv("UV_THREADPOOL_SIZE", "128", 1)
        let dispatcher = try UVDispatcher(.init(backgroundWidth: width))
        let view = dispatcher.makeQueue(label: "busy", width: 1)
        let begun = Latch()
        let gate = Latch()
        let ended = Latch(100)
        view {
          begun.open()
          gate.hold(patience)
        }
        #expect(begun.wait(patience))
        for _ in 0..<100 {
          dispatcher.background {
            try? view.sync {}
            ended.open()
          }
        }
        dispatcher.waitUntil { core in
          core.blocked.searched == 100 && core.workers.searching == 0
        }
        try body(dispatcher, view)
        gate.open()
        #expect(ended.wait(patience))
        dispatcher.runUntilIdle()
      }

      @Test("neither search nor wake for what others submit and cancel")
      func submitAndCancel() async {
        await #expect(processExitsWith: .success) {
          try blocking {
            try Self.holdUpAHundred { dispatcher, view in
              let other = dispatcher.makeQueue(label: "other", width: 1)
              let before = Steps(of: dispatcher)
              for queue in [view, other, dispatcher.background] {
                for _ in 0..<50 { queue.submit {}.cancel() }
              }
              #expect(Steps(of: dispatcher) == before)
            }
          }
        }
      }

      @Test("neither search nor wake for a thread that waits outside of all bodies")
      func outsider() async {
        await #expect(processExitsWith: .success) {
          try blocking {
            try Self.holdUpAHundred { dispatcher, _ in
              let before = Steps(of: dispatcher)
              for _ in 0..<50 {
                let group = WorkGroup()
                dispatcher.background.async(group: group) {}
                try group.wait()
              }
              let after = Steps(of: dispatcher)
              #expect(after.searches == before.searches)
              #expect(after.flags <= before.flags + 50)
            }
          }
        }
      }

      @Test("are woken once each when they are admitted, and none searches that is in no body")
      func turns() throws {
        let dispatcher = try UVDispatcher()
        let view = dispatcher.makeQueue(label: "busy", width: 1)
        let (begun, gate, count) = (Latch(), Latch(), 300)
        view {
          begun.open()
          gate.hold(patience)
        }
        #expect(begun.wait(patience))
        let threads = (0..<count).map { _ in OtherThread { try? view.sync {} } }
        dispatcher.waitUntilBlocked(count)
        let before = Steps(of: dispatcher)

        gate.open()

        for thread in threads { #expect(thread.join()) }
        let after = Steps(of: dispatcher)
        #expect(after.searches == before.searches)
        #expect(after.flags <= before.flags + count)
        dispatcher.runUntilIdle()
      }

      @Test("search in as many steps as they and what they wait for, where readers become writers")
      func readersAndWriters() throws {
        let (layers, width) = (6, 8)
        let dispatcher = try UVDispatcher()
        let views = (0...layers).map { dispatcher.makeQueue(label: "\($0)", width: width) }
        let (all, refused) = (Latch(layers * width), Box(0))
        let threads = (0..<layers * width).map { number in
          OtherThread {
            let layer = number / width
            do {
              try views[layer].sync {
                all.open()
                all.hold(patience)
                for _ in 0..<3 { try views[layer + 1].barrier.sync {} }
              }
            } catch { refused.increment() }
          }
        }
        for thread in threads { #expect(thread.join()) }

        #expect(refused.value == 0)
        let steps = Steps(of: dispatcher)
        let most = 4 * layers * width + (layers - 1) * width * width
        #expect(steps.looks <= steps.searches * most)
        // Each `sync` may begin to wait once, and end once.
        #expect(steps.searches <= 2 * 4 * layers * width)
      }

      @Test(
        "search in as many steps as they are, where bodies of two views want to enter the other one",
        arguments: [4, 6, 8])
      func twoViews(count: Int) throws {
        let dispatcher = try UVDispatcher()
        let views = (0..<2).map { dispatcher.makeQueue(label: "\($0)", width: count) }
        let (all, refused) = (Latch(2 * count), Box(0))
        let threads = (0..<2 * count).map { number in
          OtherThread {
            try? views[number % 2].sync {
              all.open()
              all.hold(patience)
              do { try views[1 - number % 2].sync {} } catch { refused.increment() }
            }
          }
        }
        for thread in threads { #expect(thread.join()) }

        #expect(refused.value >= 1)
        let steps = Steps(of: dispatcher)
        #expect(steps.looks <= steps.searches * 10 * 2 * count)
        #expect(steps.searches <= 4 * 2 * count)
      }
    }
  }
#endif
