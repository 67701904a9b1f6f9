import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A thread that waits for the report")
  struct WaitForReportTests {
    @Test("gets it, and does not keep the dispatcher from resting")
    func gets() throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let ledger = Box<Ledger?>(nil)
      let waiter = OtherThread { ledger.value = try? dispatcher.waitForReport().ledger }
      dispatcher.waitUntil { $0.closing.threads.count == 1 }
      #expect(dispatcher.engine.withCore { $0.blocked.isEmpty })
      dispatcher.background {}

      dispatcher.beginShutdown()

      #expect(waiter.join())
      #expect(ledger.value?.completed == 1)
      // A second call, after the end.
      #expect(try dispatcher.waitForReport().ledger == ledger.value)
    }

    @Test("gives up after its time-out, and leaves nothing behind")
    func timesOut() throws {
      let dispatcher = try UVDispatcher()
      for timeout in [Duration.milliseconds(1), .zero, .seconds(-1)] {
        #expect(throws: WaitRefusal.timedOut) { try dispatcher.waitForReport(timeout: timeout) }
      }
      #expect(dispatcher.engine.withCore { $0.closing.threads.isEmpty })
    }

    @Test("is refused where the end itself waits for it")
    func refused() throws {
      let dispatcher = try UVDispatcher()
      let group = WorkGroup()
      let refused = Latch(3)
      let expectRefused: @Sendable () -> Void = {
        do throws(WaitRefusal) {
          _ = try dispatcher.waitForReport()
        } catch {
          if case .wouldDeadlock = error { refused.open() }
        }
      }
      try dispatcher.start()
      dispatcher.background(expectRefused)
      dispatcher.foreground(expectRefused)
      group.enter()
      group.whenEmpty(expectRefused)
      dispatcher.background.async(group: group) { group.leave() }

      #expect(refused.wait(patience))
      dispatcher.end()
    }

    @Test("of a shutdown that ended in runUntilIdle() gets it from run()")
    func runAfterIdle() throws {
      let dispatcher = try UVDispatcher()
      dispatcher.background.async(label: "first") {}
      dispatcher.foreground { dispatcher.beginShutdown() }
      dispatcher.runUntilIdle()

      #expect(dispatcher.run().ledger.completed == 2)
      dispatcher.runUntilIdle()
      #expect(dispatcher.run().ledger.completed == 2)
    }
  }
}
