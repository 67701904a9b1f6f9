import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  /// A run holds its timer, and the timer its run, until either has ended.
  @Suite("A repeating timer that is cancelled while its run waits")
  struct EndedTimerTests {
    private func item(on view: TaskQueue, _ dispatcher: any TaskDispatcher) -> WorkItem {
      WorkItem.make(
        kind: .repeating, queue: view, label: nil,
        site: CallSite(fileID: #fileID, line: #line),
        due: dispatcher.now.advanced(by: .milliseconds(1)),
        repetition: Repetition(every: .milliseconds(1), catchUp: .once)
      ) { Issue.record("it was cancelled") }
    }

    @Test("is released")
    func onThreads() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      weak var known: WorkItem?
      do {
        let timer = item(on: view, dispatcher)
        known = timer
        _ = dispatcher.submit(timer)
        let loop = OtherThread { dispatcher.run() }
        dispatcher.waitUntil { $0.timers.hasRuns }
        #expect(dispatcher.cancel(timer) == .beforeStart)
        dispatcher.beginShutdown()
        #expect(loop.join())
      }

      #expect(known == nil)
    }

    @Test("is released by the fake")
    func onTheFake() throws {
      let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      weak var known: WorkItem?
      do {
        let timer = item(on: view, dispatcher)
        known = timer
        _ = dispatcher.submit(timer)
        try dispatcher.advanceTime(by: .milliseconds(5))
        #expect(dispatcher.cancel(timer) == .beforeStart)
        view.resume()
        try dispatcher.runUntilIdle()
      }

      #expect(known == nil)
    }
  }
}
