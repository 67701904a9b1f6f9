import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// The body of a run has ended in the phase *cancelling*, and ticks have come while it ran.
  @Suite("Runs that a repeating timer is owed when a shutdown begins to cancel")
  struct OwedRunsTests {
    private static let inBody: [CatchUp] = [.all, .once]

    /// The loop is held in a body. So no iteration cancels a run before a worker can begin it.
    @Test("do not begin", arguments: inBody)
    func onThreads(catchUp: CatchUp) throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (began, gate, late, loopGate) = (Latch(), Latch(), Latch(), Latch())
      let runs = Box(0)
      view.every(.milliseconds(1), catchUp: catchUp) {
        runs.increment()
        began.open()
        gate.hold(patience)
      }
      let loop = OtherThread { dispatcher.run() }
      #expect(began.wait(patience))
      dispatcher.foreground.after(.milliseconds(20)) {
        late.open()
        loopGate.hold(patience)
      }
      #expect(late.wait(patience))

      dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: patience))
      gate.open()
      // The body of the loop is left, and no worker has anything.
      dispatcher.waitUntil { $0.running.count == 1 && !$0.hasBackground }
      loopGate.open()

      #expect(loop.join())
      #expect(runs.value == 1)
      #expect(dispatcher.ledger.balances)
    }

    @Test("do not begin on the fake either", arguments: inBody)
    func onTheFake(catchUp: CatchUp) throws {
      let dispatcher = RecordingDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let runs = Box(0)
      view.every(.milliseconds(1), catchUp: catchUp) {
        runs.increment()
        do {
          try dispatcher.skipTime(by: .milliseconds(20))
          dispatcher.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .seconds(1)))
          // Takes the shutdown to its phase *cancelling*.
          try dispatcher.skipTime(by: .milliseconds(1))
        } catch { Issue.record(error) }
      }
      try dispatcher.advanceTime(by: .milliseconds(1))
      try dispatcher.runUntilIdle()

      #expect(runs.value == 1)
      #expect(dispatcher.ledger.balances)
    }
  }
}
