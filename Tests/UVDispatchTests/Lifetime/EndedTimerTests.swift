import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// A run holds its timer, and the timer its run, until either has ended.
  @Suite("A repeating timer that is cancelled while its run waits")
  struct EndedTimerTests {
    /// Cancels a timer of `dispatcher` on a suspended view after `untilARunWaits`, and returns whether it is released
    /// after `end`.
    private func isReleased<Dispatcher: DispatcherImplementation>(
      by dispatcher: Dispatcher, untilARunWaits: () throws -> Void, end: (TaskQueue) throws -> Void
    ) throws -> Bool {
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      weak var known: WorkItem?
      do {
        let timer = WorkItem.make(
          kind: .repeating, queue: view, label: nil, site: .here(),
          due: dispatcher.now.advanced(by: .milliseconds(1)),
          repetition: Repetition(every: .milliseconds(1), catchUp: .once)
        ) { Issue.record("it was cancelled") }
        known = timer
        _ = dispatcher.submit(timer)
        try untilARunWaits()
        #expect(dispatcher.cancel(timer) == .beforeStart)
        try end(view)
      }
      return known == nil
    }

    @Test("is released")
    func onThreads() throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()

      let isReleased = try isReleased(by: dispatcher) {
        dispatcher.waitUntil { $0.timers.hasRuns }
      } end: { _ in
        dispatcher.beginShutdown()
        _ = try dispatcher.waitForReport(timeout: patience)
      }

      #expect(isReleased)
    }

    @Test("is released by the fake")
    func onTheFake() throws {
      let dispatcher = RecordingDispatcher(.init(recordsHistory: false))

      let isReleased = try isReleased(by: dispatcher) {
        try dispatcher.advanceTime(by: .milliseconds(5))
      } end: { view in
        view.resume()
        try dispatcher.runUntilIdle()
      }

      #expect(isReleased)
    }
  }
}
