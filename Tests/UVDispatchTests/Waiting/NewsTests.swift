import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("A thread that has news for others who wait, and goes on to wait in the same section")
  struct NewsTests {
    @Test("lets them look meanwhile")
    func looks() throws {
      let dispatcher = try UVDispatcher()
      let waiter = WatchedThread {
        dispatcher.waitUntil { $0.granted == 1 }
        dispatcher.withCore { $0.granted = 0 }
      }
      #expect(waiter.waitUntilItSleeps())
      let core = dispatcher.lock()
      core.granted = 1
      core.hasNewsForWaiters = true

      let end = core.instant.advanced(by: patience)
      while core.granted == 1, core.instant < end { dispatcher.park(until: end, looksAtAll: true) }
      let wasSeen = core.granted == 0
      dispatcher.unlock()

      #expect(wasSeen)
      #expect(waiter.join())
    }
  }
}
