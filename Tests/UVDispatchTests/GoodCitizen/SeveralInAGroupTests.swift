import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// A long body keeps the only thread that a pool of two has for dispatchers.
  @Suite("A dispatcher that has a member in a group which a thread waits for")
  struct SeveralInAGroupTests {
    @Test("has libuv's thread, although the thread waits by another dispatcher")
    func byAnother() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let (body, first, last) = (try LongBody(), try UVDispatcher(), try UVDispatcher())
          let (group, ran) = (WorkGroup(), Latch())
          first.background.async(group: group) { ran.open() }
          last.foreground.async(group: group) {}
          let waiter = WatchedThread { try? group.wait() }

          #expect(ran.wait(patience))

          last.runUntilIdle()
          #expect(waiter.join())
          first.runUntilIdle()
          body.end()
        }
      }
    }

    @Test("has it, although that is its first member and the thread is on its way into the wait")
    func joinsOnTheWay() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let (body, last) = (try LongBody(), try UVDispatcher())
          for _ in 0..<20 {
            let (group, first, ran) = (WorkGroup(), try UVDispatcher(), Latch())
            last.foreground.async(group: group) {}
            // When the waiting thread sleeps, it knows which dispatchers have members in the group, and waits
            // for the lock of one.
            last.engine.lock()
            let waiter = WatchedThread { try? group.wait() }
            #expect(waiter.waitUntilItSleeps())
            let before = group.timesJoined
            let background = first.background
            let member = OtherThread { background.async(group: group) { ran.open() } }
            // The member's thread is awake, so it gets the lock before the waiting thread.
            while group.timesJoined == before {}
            last.engine.unlock()

            #expect(ran.wait(patience))

            #expect(member.join())
            last.runUntilIdle()
            #expect(waiter.join())
            first.runUntilIdle()
          }
          body.end()
        }
      }
    }
  }
}

private struct LongBody: Sendable {
  private let dispatcher: UVDispatcher
  private let gate = Latch()

  init() throws {
    unsafe setenv("UV_THREADPOOL_SIZE", "2", 1)
    dispatcher = try UVDispatcher()
    let began = Latch()
    dispatcher.background { [gate] in
      began.open()
      gate.hold(patience)
    }
    #expect(began.wait(patience))
  }

  func end() {
    gate.open()
    dispatcher.runUntilIdle()
  }
}
