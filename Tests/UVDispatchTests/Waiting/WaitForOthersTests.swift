import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A thread that waits for a group")
  struct WaitForOthersTests {
    @Test("goes on when a fake has run the last of its tasks")
    func taskOfAFake() throws {
      let (dispatcher, fake) = (try UVDispatcher(), RecordingDispatcher())
      let (group, isOver) = (WorkGroup(), Latch())
      fake.background.async(group: group) {}
      let waiter = WatchedThread {
        try? dispatcher.wait(for: .group(group, since: group.timesEmptied), timeout: nil)
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
        let waiter = WatchedThread {
          try? dispatcher.wait(for: .group(group, since: group.timesEmptied), timeout: nil)
        }
        #expect(waiter.waitUntilItSleeps())

        #expect(handle.cancel() == .beforeStart)

        #expect(waiter.join())
      }
    }

    @Test("goes on when a thread that the dispatcher knows nothing of leaves it last")
    func leftByHand() throws {
      let dispatcher = try UVDispatcher()
      let group = WorkGroup()
      group.enter()
      let isOver = Latch()
      // From now on the group knows a dispatcher that can wake the threads which wait for it.
      dispatcher.foreground.async(group: group) {}
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

    @Test("does not wait for one that has been empty since the wait began, in a fake either")
    func emptiedBefore() throws {
      let group = WorkGroup()
      let time = group.timesEmptied
      group.enter()
      group.leave()
      group.enter()
      let waits = group.whenEmpty(
        wake: {}, by: group, checks: false, since: time)
      #expect(!waits)
      for dispatcher in [try UVDispatcher(), RecordingDispatcher()]
        as [any DispatcherImplementation]
      {
        try dispatcher.wait(for: .group(group, since: time), timeout: .zero)
        #expect(throws: WaitRefusal.timedOut) {
          try dispatcher.wait(for: .group(group, since: time + 1), timeout: .zero)
        }
      }
      group.leave()
    }

    @Test(
      "is refused where its members stand behind its own task, whatever other dispatchers were given",
      arguments: ["a notification", "a member that has ended", "a member that ends then"])
    func ownMembers(given: String) throws {
      let (dispatcher, other) = (try UVDispatcher(), try UVDispatcher())
      let (view, group) = (dispatcher.makeQueue(label: "view", width: 1), WorkGroup())
      let (gate, answer) = (Latch(), Box("none"))
      let isOver = Latch()
      view {
        view.async(group: group) {}
        switch given {
        case "a notification": group.notify(on: other.foreground) {}
        case "a member that has ended":
          _ = try? other.background.submit(group: group) {}.wait()
        default: other.background.async(group: group) { gate.hold(patience) }
        }
        do {
          try group.wait()
          answer.value = "went on"
        } catch WaitRefusal.wouldDeadlock {
          answer.value = "refused"
        } catch { answer.value = "\(error)" }
        isOver.open()
      }
      dispatcher.waitUntil { core in
        core.blocked.threads.contains { $0.waitsForAGroup } || isOver.isOpen
      }
      gate.open()

      #expect(isOver.wait(patience))
      #expect(answer.value == "refused")
      dispatcher.runUntilIdle()
      other.runUntilIdle()
    }
  }
}
