import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A body that waits for a group is refused, if nothing can end that,")
  struct MemberOnItsWayTests {
    private let dispatcher: UVDispatcher
    private let group = WorkGroup()
    private let refused = Latch()

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    /// Makes the only worker wait for the group after `before`. Returns when the worker is blocked.
    private func waitForGroup(after before: () -> Void = {}) {
      let gate = Latch()
      dispatcher.background { [group, refused] in
        gate.hold(patience)
        do throws(WaitRefusal) { try group.wait() } catch {
          if case .wouldDeadlock = error { refused.open() }
        }
      }
      before()
      gate.open()
      dispatcher.waitUntil { core in
        core.blocked.threads.contains { $0.isWorker && !$0.isBusy }
      }
    }

    @Test("also if a member had not come into its queue when it began", arguments: Lane.allCases)
    func onItsWay(lane: Lane) throws {
      if lane == .background { try dispatcher.start() }
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let queue = lane == .background ? view : dispatcher.foreground
      // The member has entered the group, and comes into its queue below.
      let member = WorkItem.make(
        kind: .task, queue: queue, label: nil, site: .here(), group: group
      ) {}
      if lane == .foreground {
        // The loop's thread waits as well, so that it cannot run the member.
        dispatcher.foreground { [group, refused] in
          do { try group.wait() } catch { refused.open() }
        }
        try dispatcher.start()
        dispatcher.waitUntil { core in core.blocked.holdsLoop }
      }
      waitForGroup()

      dispatcher.submit(member)

      // On the foreground, one of the two waits. No other code takes the lock now, which would make them search.
      #expect(refused.wait(patience))
      dispatcher.end()
    }

    @Test("also if another dispatcher had work in the group when it began")
    func elsewhere() throws {
      let other = RecordingDispatcher()
      try dispatcher.start()
      waitForGroup {
        other.foreground.async(group: group) {}
        dispatcher.background.submit(group: group) {}
      }
      #expect(!refused.isOpen)

      try other.runUntilIdle()

      #expect(refused.wait(patience))
      dispatcher.end()
    }
  }
}
