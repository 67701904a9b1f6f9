import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A thread that meets others' wake condition, and goes on to wait in the same section")
  struct NewsTests {
    @Test("lets them re-check it while it waits")
    func looks() throws {
      let dispatcher = try UVDispatcher()
      let waiter = WatchedThread {
        dispatcher.waitUntil { $0.blocked.admitted == 1 }
        dispatcher.engine.withCore { $0.blocked.noticeAdmission() }
      }
      #expect(waiter.waitUntilItSleeps())
      let core = dispatcher.engine.lock()
      core.blocked.admit(
        core.makeTask(.caller(nil), on: .background, nil, site: .here(), parent: nil))
      core.blocked.flagAll()

      let end = core.instant.advanced(by: patience)
      let thread = dispatcher.engine.block(for: .anything, mayTimeOut: true)
      while core.blocked.admitted == 1, core.instant < end {
        dispatcher.engine.park(thread, until: end)
      }
      dispatcher.engine.unblock(thread)
      let wasSeen = core.blocked.admitted == 0
      dispatcher.engine.unlock()

      #expect(wasSeen)
      #expect(waiter.join())
    }
  }
}
