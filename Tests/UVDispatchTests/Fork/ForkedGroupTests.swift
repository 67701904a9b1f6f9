import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A group that a forked child empties")
  struct ForkedGroupTests {
    @Test("lets nothing in, and takes no lock, which a thread of the parent may have held")
    func leave() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          let dispatcher = try UVDispatcher()
          let group = WorkGroup()
          let ran = Box(0)
          group.enter()
          group.notify(on: dispatcher.foreground) { ran.increment() }

          let status = withLockHeldElsewhere(dispatcher) {
            statusOfForkedChild { group.leave() }
          }

          #expect(status == 0, "the child ended with status \(status)")
          group.leave()
          dispatcher.runUntilIdle()
          #expect(ran.value == 1)
        }
      }
    }
  }
}
