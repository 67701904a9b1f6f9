import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A body that a worker runs while it waits")
  struct HelperFrameTests {
    @Test("does not believe to be on the queue of the body that waits")
    func context() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let outer = dispatcher.makeQueue(label: "outer", width: 1)
      let inner = dispatcher.makeQueue(label: "inner", width: 1)
      let seen = Box([Bool]())
      let ended = Latch()
      outer {
        // The only worker is blocked here, so it runs this task itself.
        inner { seen.change { $0 += [outer.isCurrent, inner.isCurrent] } }
        try? inner.sync { seen.change { $0 += [outer.isCurrent, inner.isCurrent] } }
        ended.open()
      }

      #expect(ended.wait(patience))

      #expect(seen.value == [false, true, true, true])
      dispatcher.runUntilIdle()
    }

    @Test("has its end told in no task, and so not in the one that waits")
    func callback() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let outer = dispatcher.makeQueue(label: "outer", width: 1)
      let inner = dispatcher.makeQueue(label: "inner", width: 1)
      let (group, ended) = (WorkGroup(), Latch())
      let seen = Box([Bool]())
      outer {
        inner.async(group: group) {}
        group.whenEmpty {
          seen.change { $0 += [outer.isCurrent, inner.isCurrent, CurrentTask.site != nil] }
        }
        try? inner.sync {}
        ended.open()
      }

      #expect(ended.wait(patience))

      #expect(seen.value == [false, false, false])
      dispatcher.runUntilIdle()
    }
  }
}
