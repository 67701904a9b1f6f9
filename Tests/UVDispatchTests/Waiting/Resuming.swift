import TaskDispatch

@testable import TaskDispatchTesting
@testable import UVDispatch

extension UVDispatcher {
  /// Resumes a view as a body on another thread would, and tells whether anybody could go on at that
  /// moment: who sleeps has not woken yet.
  func canProgress(resuming view: TaskQueue) -> Bool {
    let core = lock()
    defer { unlock() }
    core.pool.resume(core.poolView(self.view(view.view)), now: { core.now })
    core.handOutGrants()
    return core.canProgress
  }
}
