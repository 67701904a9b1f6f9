import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Reports of stalls come in order")
  struct StallOrderTests {
    @Test("if a body ends while the watchdog reports that it goes on")
    func endDuringReport() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, stallThresholds: .init(.milliseconds(10))))
      let (isTold, bodyGate, reportGate) = (Latch(), Latch(), Latch())
      let reports = Box([Stall]())
      try dispatcher.watchStalls { stall in
        if !stall.isOver {
          isTold.open()
          reportGate.hold(patience)
        }
        reports.change { $0.append(stall) }
      }
      dispatcher.background.async(label: "stuck") { bodyGate.hold(patience) }
      #expect(isTold.wait(patience))

      // The body ends, and its thread goes on. The watchdog still reports.
      bodyGate.open()
      try dispatcher.background.submit {}.wait()
      #expect(reports.value.isEmpty)
      #expect(dispatcher.engine.withCore { $0.stalls.ended.count } == 1)
      reportGate.open()

      let end = ContinuousClock.now + patience
      while reports.value.count < 2, ContinuousClock.now < end { giveWay() }
      #expect(reports.value.map(\.isOver) == [false, true])
      dispatcher.runUntilIdle()
      #expect(reports.value.count == 2)
    }
  }
}
