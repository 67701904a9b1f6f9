import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A notification whose group a shutdown has emptied")
  struct NotificationAtTheEndTests {
    @Test("runs, though the loop iterates before it has been let in")
    func overtaken() throws {
      let dispatcher = try UVDispatcher()
      let (first, second) = (WorkGroup(), WorkGroup())
      let (gate, ran) = (Latch(), Box(0))
      for group in [first, second] { dispatcher.background.after(.seconds(3_600), group: group) {} }
      // This wake-up is in the same batch as the notification and before it, so the gate holds the notification
      // up.
      let waits = first.whenEmpty(
        wake: { gate.hold(patience) }, by: gate, checks: false,
        since: first.timesEmptied)
      #expect(waits)
      second.notify(on: dispatcher.background) { ran.increment() }
      let (turns, iterate) = (Latch(3), dispatcher.engine.loop.onIteration)
      dispatcher.engine.loop.onIteration = { [unowned dispatcher] in
        iterate()
        if dispatcher.engine.withCore({ $0.closing.hasBegun }) { turns.open() }
      }
      try dispatcher.start()
      let begins = OtherThread { dispatcher.beginShutdown(.init(drain: .seconds(3_600))) }
      #expect(turns.wait(patience))

      gate.open()

      #expect(try dispatcher.waitForReport(timeout: patience).ledger.completed == 1)
      #expect(ran.value == 1)
      #expect(begins.join())
    }
  }
}
