import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A run of a repeating timer that a shutdown has abandoned")
  struct AbandonedRunTests {
    @Test(
      "has ended as far as its timer goes: a cancellation comes too late",
      arguments: CatchUp.allCases)
    func cancel(catchUp: CatchUp) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let (begun, gate, ended) = (Latch(), Latch(), Latch())
      let timer = dispatcher.background.every(.milliseconds(1), catchUp: catchUp) {
        begun.open()
        gate.hold(patience)
        ended.open()
      }
      let loop = OtherThread { dispatcher.run() }
      #expect(begun.wait(patience))

      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      #expect(loop.join())

      #expect(dispatcher.report?.ledger.abandoned == 1)
      #expect(timer.outcomeIfFinished == .cancelled)
      #expect(timer.cancel() == .tooLate)
      gate.open()
      #expect(ended.wait(patience))
      #expect(timer.cancel() == .tooLate)
    }
  }
}
