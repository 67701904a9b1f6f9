import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("While a shutdown drains")
  struct SyncAtTheGateTests {
    @Test("sync is refused to a thread from outside, and let in from a body that is drained")
    func sync() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (started, gate) = (Latch(), Latch())
      let ran = Box([String]())
      dispatcher.background {
        started.open()
        gate.hold(patience)
        try? view.sync { ran.change { $0.append("inside") } }
      }
      #expect(started.wait(patience))
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      let refusal = #expect(throws: WaitRefusal.self) {
        try view.sync { ran.change { $0.append("outside") } }
      }
      gate.open()
      let report = dispatcher.run()

      if case .refused(.shutDown)? = refusal {
      } else {
        Issue.record("\(String(describing: refusal))")
      }
      #expect(ran.value == ["inside"])
      #expect(report.ledger.balances)
    }
  }
}
