import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("What a body made that a shutdown had abandoned")
  struct AbandonedValueTests {
    /// Calls its dispatcher when it is destroyed, as any object of a user may.
    private final class Farewell: Sendable {
      let dispatcher: UVDispatcher
      let said: Latch

      init(_ dispatcher: UVDispatcher, _ said: Latch) {
        self.dispatcher = dispatcher
        self.said = said
      }

      deinit {
        _ = dispatcher.ledger
        said.open()
      }
    }

    private struct Failure: Error { let farewell: Farewell }

    @Test("is let go of without the lock", arguments: [false, true])
    func letGo(fails: Bool) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let (begun, gate, said) = (Latch(), Latch(), Latch())
      dispatcher.background.submit { () throws -> Farewell in
        begun.open()
        gate.hold(patience)
        let farewell = Farewell(dispatcher, said)
        if fails { throw Failure(farewell: farewell) }
        return farewell
      }
      let loop = OtherThread { dispatcher.run() }
      #expect(begun.wait(patience))
      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      #expect(loop.join())

      gate.open()

      #expect(said.wait(patience))
    }
  }
}
