import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A cancellation of what waits")
  struct WithdrawingTests {
    @Test("lets start what stood behind it, a caller of sync too", arguments: [false, true])
    func setsFree(isCaller: Bool) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let view = dispatcher.makeQueue(label: "view", width: 2)
      let (isHeld, gate, hasRun) = (Latch(), Latch(), Latch())
      view {
        isHeld.open()
        #expect(gate.wait(patience))
      }
      #expect(isHeld.wait(patience))
      let barrier = view.barrier.submit {}
      var caller: OtherThread?
      if isCaller {
        caller = OtherThread { try? view.sync { hasRun.open() } }
        dispatcher.waitUntil { core in
          core.blocked.threads.contains { if case .admission = $0.target { true } else { false } }
        }
      } else {
        view { hasRun.open() }
      }

      #expect(barrier.cancel() == .beforeStart)

      #expect(hasRun.wait(patience))
      gate.open()
      #expect(barrier.outcomeIfFinished == .cancelled)
      #expect(caller?.join() != false)
    }

    @Test("wakes a loop that is wanted")
    func wakes() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view.suspend()
      let handle = view.submit {}
      // A section of the lock that wants the loop, and leaves the wake-up to the next section.
      dispatcher.engine.lock().loop.want()
      dispatcher.engine.monitor.unlock()

      #expect(handle.cancel() == .beforeStart)

      dispatcher.engine.withCore { core in
        #expect(!core.loop.isPending)
        #expect(core.loop.inFlight == 0)
        #expect(core.loop.state == .woken)
      }
      view.resume()
      dispatcher.runUntilIdle()
    }

    @Test("calls the item's observers, on the thread that cancels, without the lock")
    func tells() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view.suspend()
      let item = WorkItem.make(kind: .task, queue: view, label: nil, site: .here()) {}
      dispatcher.submit(item)
      let outcomes = Box<[Outcome]>([])
      item.whenFinished { outcome in
        outcomes.value += [outcome]
        // This call would hang under the lock.
        #expect(dispatcher.ledger.cancelled == 1)
      }

      #expect(dispatcher.cancel(item) == .beforeStart)
      #expect(outcomes.value == [.cancelled])
      #expect(dispatcher.cancel(item) == .tooLate)
      #expect(dispatcher.ledger.balances)
      view.resume()
    }
  }
}
