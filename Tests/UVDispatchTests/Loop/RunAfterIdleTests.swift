import TaskDispatch
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A loop that was run until it was idle")
  struct RunAfterIdleTests {
    @Test("does not stop any more when it is idle again")
    func goesOn() throws {
      let dispatcher = try UVDispatcher()

      dispatcher.runUntilIdle()

      let thread = dispatcher.engine.withCore(\.loopThread)
      #expect(!thread.leavesWhenIdle && !thread.isClaimed)
    }
  }
}
