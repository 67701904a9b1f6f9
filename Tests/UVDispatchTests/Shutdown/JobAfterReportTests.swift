import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A job of a Task that runs when the report has been made")
  struct JobAfterReportTests {
    /// Not asynchronous, since an asynchronous function must not wait for a latch.
    private func hold(at gate: Latch) { gate.hold(patience) }

    @Test("holds up the loop, which sleeps until its end", arguments: [false, true])
    func rests(untilIdle: Bool) throws {
      let dispatcher = try UVDispatcher()
      let (hasReport, gate) = (Flag(), Latch())
      let (hasEnded, hadEnded) = (Flag(), Box(false))
      Task(executorPreference: dispatcher.background.executor) {
        _ = await dispatcher.shutdown()
        hasReport.raise()
        hold(at: gate)
        hasEnded.raise()
      }

      let runner = WatchedThread {
        while dispatcher.engine.withCore({ !$0.closing.hasBegun }) {}
        if untilIdle { dispatcher.runUntilIdle() } else { dispatcher.run() }
        hadEnded.value = hasEnded.isRaised
      }
      while !hasReport.isRaised {}

      #expect(runner.waitUntilItSleeps())
      gate.open()
      #expect(runner.join())
      #expect(hadEnded.value)
    }
  }
}
