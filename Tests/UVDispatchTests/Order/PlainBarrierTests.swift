import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// Rule 6 for a barrier without other options, which the dispatcher could mistake for a plain body.
  @Suite("A plain barrier")
  struct PlainBarrierTests {
    @Test("divides its queue", arguments: [true, false])
    func divides(isView: Bool) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let queue =
        isView ? dispatcher.makeQueue(label: "view", width: 2) : dispatcher.background
      let (started, gate) = (Latch(), Latch())
      queue {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))

      queue.barrier {}
      queue {}

      let view = dispatcher.view(queue.view)
      let next = dispatcher.engine.withCore { core in
        core.drainAll()
        return core.poolView(view).queue.ready.nextBarrierBand
      }
      #expect(next == .medium)
      gate.open()
      dispatcher.runUntilIdle()
      #expect(dispatcher.ledger.completed == 3)
    }
  }
}
