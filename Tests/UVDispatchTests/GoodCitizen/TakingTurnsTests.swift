import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("More busy dispatchers than the pool has threads for")
  struct TakingTurnsTests {
    @Test("are each served, also one that comes later")
    func eachIsServed() throws {
      let count = try UVDispatcher().effectivePoolThreads + 1
      let served = Latch(count)
      let isOver = Box(false)
      let dispatchers = try (0..<count).map { _ in try UVDispatcher() }
      @Sendable func again(_ queue: TaskQueue, _ left: Int) {
        if left == 0 { served.open() }
        guard !isOver.value else { return }
        queue { again(queue, left - 1) }
      }
      for dispatcher in dispatchers.dropLast() {
        let (queue, begun) = (dispatcher.background, Latch())
        for _ in 0..<4 { queue { again(queue, -1) } }
        queue {
          begun.open()
          again(queue, 100)
        }
        if dispatcher === dispatchers.first { #expect(begun.wait(patience)) }
      }
      let last = dispatchers.last!.background
      last { again(last, 100) }

      #expect(served.wait(patience), "\(served.missing) of \(count) were not served")
      isOver.value = true
      for dispatcher in dispatchers {
        dispatcher.waitUntil { $0.accounts.ledger.waiting + $0.accounts.ledger.running == 0 }
      }
    }

    @Test(
      "are each served that a body waits for, whichever of them came first",
      arguments: ["a handle", "a group"])
    func areWaitedFor(by what: String) async {
      await #expect(processExitsWith: .success) { [what] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let all = try (0..<4).map { _ in try UVDispatcher() }
          let (mayWait, begun, ended) = (Latch(), Latch(), Latch(2))
          @Sendable func wait() {
            let group = WorkGroup()
            if what == "a handle" {
              _ = try? all[2].background.submit {}.wait()
            } else {
              for other in all[2...] { other.background.submit(group: group) {} }
              try? group.wait()
            }
            ended.open()
          }
          all[0].background {
            begun.open()
            mayWait.hold(patience)
            wait()
          }
          #expect(begun.wait(patience))
          // This dispatcher has no thread, and is first in the line. If it took the last thread, none would be
          // left for the dispatchers that the bodies wait for.
          all[1].background { wait() }
          #expect(all[1].engine.withCore { $0.workers.isShort })
          mayWait.open()
          // The test waits for a latch. A dispatcher that it waited in would get libuv's spare thread.
          #expect(ended.wait(patience))
        }
      }
    }

    /// Blocks the thread that releases the object which its task holds.
    private final class Keeper: Sendable {
      let (kept, gate, released) = (Latch(), Latch(), Latch())

      /// A task that holds this object.
      func task() -> @Sendable () -> Void {
        let held = Held(self)
        return { withExtendedLifetime(held) {} }
      }

      private final class Held: Sendable {
        private let keeper: Keeper

        init(_ keeper: Keeper) { self.keeper = keeper }

        deinit {
          keeper.kept.open()
          _ = keeper.gate.wait(patience)
          keeper.released.open()
        }
      }
    }

    @Test(
      "are each served, although one before them is let go of, and what it held keeps its thread")
    func servedBesideADeinit() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let (first, last) = (try UVDispatcher(), try UVDispatcher())
          let (keeper, begun, gate, ran) = (Keeper(), Latch(), Latch(), Latch())
          first.background {
            begun.open()
            gate.hold(patience)
          }
          #expect(begun.wait(patience))
          try {
            // At the end only the line of dispatchers that are short holds it, and it needs no thread any more.
            let second = try UVDispatcher()
            let view = second.makeQueue(label: "held", width: 1)
            view.suspend()
            view(keeper.task())
            let handle = second.background.submit {}
            #expect(second.engine.withCore { $0.workers.isShort })
            #expect(handle.cancel() == .beforeStart)
          }()
          last.background { ran.open() }
          #expect(last.engine.withCore { $0.workers.isShort })

          gate.open()

          #expect(keeper.kept.wait(patience))
          #expect(ran.wait(patience))
          keeper.gate.open()
          #expect(keeper.released.wait(patience))
        }
      }
    }

    @Test(
      "are served where a body of another one runs their loop, or waits for their report",
      arguments: [false, true])
    func blockedElsewhere(forReport: Bool) async {
      await #expect(processExitsWith: .success) { [forReport] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let (first, second) = (try UVDispatcher(), try UVDispatcher())
          let (ran, ended) = (Latch(), Latch())
          first.background {
            second.background { ran.open() }
            if forReport {
              second.beginShutdown(.init(drain: .seconds(3_600), cancel: .zero))
              _ = try? second.waitForReport()
            } else {
              second.runUntilIdle()
            }
            ended.open()
          }
          #expect(ran.wait(patience))
          if forReport { #expect(second.run().unfinished.isEmpty) }
          #expect(ended.wait(patience))
        }
      }
    }

    @Test("have no spare thread of the pool any more once the wait is over")
    func noSpareAfterAWait() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let first = try UVDispatcher()
          let second = try UVDispatcher()
          _ = try second.background.submit {}.wait()
          second.waitUntil { $0.workers.searching == 0 && $0.running.isEmpty }
          // A thread outside all tasks waits for its report. That gives it no spare thread either.
          let waiter = second.waitForReportElsewhere()
          second.waitUntil { !$0.closing.threads.isEmpty }
          let (begun, gate, ran) = (Latch(), Latch(), Latch())
          first.background {
            begun.open()
            gate.hold(patience)
          }
          #expect(begun.wait(patience))
          second.background { ran.open() }
          #expect(second.engine.withCore { $0.workers.isShort })
          gate.open()
          #expect(ran.wait(patience))
          second.beginShutdown()
          second.run()
          #expect(waiter.join())
        }
      }
    }

    @Test("are each served where the pool has a thread for one run, and one for others")
    func smallPool() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
          let (first, second) = (try UVDispatcher(), try UVDispatcher())
          let (isOver, served, begun) = (Box(false), Latch(), Latch())
          @Sendable func again() {
            begun.open()
            if !isOver.value { first.background { again() } }
          }
          first.background { again() }
          #expect(begun.wait(patience))
          second.background { served.open() }
          #expect(served.wait(patience))
          isOver.value = true
          first.waitUntil { $0.accounts.ledger.waiting + $0.accounts.ledger.running == 0 }
        }
      }
    }
  }
}

extension UVDispatcher {
  /// Lets another thread wait for the report.
  fileprivate func waitForReportElsewhere() -> OtherThread {
    OtherThread { _ = try? self.waitForReport() }
  }
}
