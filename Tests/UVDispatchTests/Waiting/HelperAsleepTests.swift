import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("A worker that can go on by helping, and has not woken yet")
  struct HelperAsleepTests {
    @Test("is a way out for the others who wait for its view")
    func helperAsleep() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (ran, refused) = (Box(0), Box(0))
      view.suspend()
      view { ran.increment() }
      for queue in [dispatcher.background, dispatcher.foreground] {
        queue {
          do { _ = try view.sync { ran.increment() } } catch { refused.increment() }
        }
      }
      try dispatcher.start()
      dispatcher.waitUntil { $0.running.count == 2 && $0.running.allSatisfy(\.isBlocked) }

      // The task that stands first may be taken now, by the only worker, which stands behind it.
      // Whoever gets the lock next may be the loop's thread.
      let canProgress = dispatcher.canProgress(resuming: view)
      dispatcher.end()

      #expect(canProgress)
      #expect(ran.value == 3)
      #expect(refused.value == 0)
    }
  }
}
