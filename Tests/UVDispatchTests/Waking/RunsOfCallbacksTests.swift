import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Worker runs that make callbacks")
  struct RunsOfCallbacksTests {
    @Test(
      "keep their threads: where they have all that the dispatcher may have, no other run is started"
    )
    func threads() throws {
      let dispatcher = try UVDispatcher()
      let width = dispatcher.effectiveBackgroundWidth
      let (areTelling, mayEnd, ran) = (Latch(width), Latch(), Latch())
      try dispatcher.start()
      for _ in 0..<width {
        let (group, isAwaited) = (WorkGroup(), Latch())
        dispatcher.background.async(group: group) { isAwaited.hold(patience) }
        group.whenEmpty {
          areTelling.open()
          mayEnd.hold(patience)
        }
        isAwaited.open()
      }
      #expect(areTelling.wait(patience))

      dispatcher.background { ran.open() }
      dispatcher.engine.withCore { core in
        #expect(core.workers.telling == width)
        #expect(core.workers.searching == 0 && core.running.isEmpty)
      }

      mayEnd.open()
      #expect(ran.wait(patience))
      dispatcher.waitUntil { $0.workers.telling == 0 }
      dispatcher.end()
    }
  }
}
