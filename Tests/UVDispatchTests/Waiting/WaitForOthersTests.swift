import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("A thread that waits for a group")
  struct WaitForOthersTests {
    @Test("goes on when somebody leaves it last of whom the dispatcher knows nothing")
    func leftByHand() throws {
      let dispatcher = try UVDispatcher()
      let group = WorkGroup()
      group.enter()
      let isOver = Latch()
      // From now on the group knows who can tell of those that wait for it.
      dispatcher.foreground(group: group) {}
      dispatcher.runUntilIdle()
      let waiter = WatchedThread {
        try? group.wait()
        isOver.open()
      }
      #expect(waiter.waitUntilItSleeps())
      #expect(!isOver.isOpen)

      group.leave()

      #expect(isOver.wait(patience))
      #expect(waiter.join())
      withExtendedLifetime(dispatcher) {}
    }
  }
}
