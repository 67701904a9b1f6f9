import TaskDispatch
import Testing

@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("A thread that waits for a group")
  struct WaitForOthersTests {
    @Test("goes on when a fake has run the last of its tasks")
    func taskOfAFake() throws {
      let (dispatcher, fake) = (try UVDispatcher(), RecordingDispatcher())
      let (group, isOver) = (WorkGroup(), Latch())
      fake.background(group: group) {}
      let waiter = WatchedThread {
        try? dispatcher.wait(for: .group(group), timeout: nil)
        isOver.open()
      }
      #expect(waiter.waitUntilItSleeps())
      #expect(!isOver.isOpen)

      try fake.runUntilIdle()

      #expect(isOver.wait(patience))
      #expect(waiter.join())
      try fake.finish()
    }

    @Test("goes on when the last of its tasks is cancelled, in its dispatcher or in another one")
    func lastIsCancelled() throws {
      let (dispatcher, other) = (try UVDispatcher(), try UVDispatcher())
      for owner in [dispatcher, other] {
        let group = WorkGroup()
        let view = owner.makeQueue(label: "held", width: 1)
        view.suspend()
        let handle = view.submit(group: group) {}
        let waiter = WatchedThread { try? dispatcher.wait(for: .group(group), timeout: nil) }
        #expect(waiter.waitUntilItSleeps())

        #expect(handle.cancel() == .beforeStart)

        #expect(waiter.join())
      }
    }

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
