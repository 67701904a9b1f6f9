import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// A thread that waits under the lock releases the lock without the rest of an unlock.
  @Suite("A thread that has brought work, and goes on to wait in the same section")
  struct ParkTests {
    @Test("lets that work run while it waits", arguments: [Lane.background, .foreground])
    func work(lane: Lane) throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      dispatcher.waitUntil { $0.loop.mustBeTold }
      let ran = Box(false)
      let core = dispatcher.engine.lock()
      let task = core.makeTask(
        .plain({ ran.value = true }), on: lane, nil, site: CallSite(fileID: #fileID, line: #line),
        parent: nil)
      core.accept(task)
      core.enqueue(task)

      let end = core.instant.advanced(by: patience)
      let thread = dispatcher.engine.block(for: .anything, mayTimeOut: true)
      while !ran.value, core.instant < end { dispatcher.engine.park(thread, until: end) }
      dispatcher.engine.unblock(thread)
      dispatcher.engine.unlock()

      #expect(ran.value)
      #expect(dispatcher.now < end)
      dispatcher.end()
    }

    @Test("makes deferred callbacks while it waits")
    func callbacks() throws {
      let dispatcher = try UVDispatcher()
      let wasCalled = Box(false)
      let core = dispatcher.engine.lock()
      core.callbacks.append { wasCalled.value = true }

      let end = core.instant.advanced(by: patience)
      let thread = dispatcher.engine.block(for: .anything, mayTimeOut: true)
      while !wasCalled.value, core.instant < end { dispatcher.engine.park(thread, until: end) }
      dispatcher.engine.unblock(thread)
      dispatcher.engine.unlock()

      #expect(wasCalled.value)
      #expect(dispatcher.now < end)
    }
  }
}
