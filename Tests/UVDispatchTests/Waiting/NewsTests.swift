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
        dispatcher.waitUntil { $0.blocked.admitted == 1 }
        dispatcher.withCore { $0.blocked.admitted = 0 }
      }
      #expect(waiter.waitUntilItSleeps())
      let core = dispatcher.lock()
      core.blocked.admitted = 1
      core.blocked.flagAll()

      let end = core.instant.advanced(by: patience)
      let thread = dispatcher.block(for: .anything, mayTimeOut: true)
      while core.blocked.admitted == 1, core.instant < end { dispatcher.park(thread, until: end) }
      dispatcher.unblock(thread)
      let wasSeen = core.blocked.admitted == 0
      dispatcher.unlock()

      #expect(wasSeen)
      #expect(waiter.join())
    }
  }
}
