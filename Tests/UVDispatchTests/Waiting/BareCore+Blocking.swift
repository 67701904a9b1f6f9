import TaskDispatch

@testable import UVDispatch

/// Threads that count as blocked, although there are none.
extension BareCore {
  /// A task of the background that has its share of the pool.
  func started() -> RunningTask {
    queued()
    return core.beginOnWorker()!
  }

  func blocked(
    on target: BlockedThread.Target, _ view: UVView, mayTimeOut: Bool = false
  ) -> BlockedThread {
    block(running(on: .background, view), on: target, mayTimeOut: mayTimeOut)
  }

  func blocked(
    on target: BlockedThread.Target, on lane: Lane, isWorker: Bool = true, isLoop: Bool = false
  ) -> BlockedThread {
    block(running(on: lane), on: target, isWorker: isWorker, isLoop: isLoop)
  }

  func block(
    _ task: RunningTask, on target: BlockedThread.Target, isWorker: Bool = true,
    isLoop: Bool = false, mayTimeOut: Bool = false
  ) -> BlockedThread {
    core.blocked.begin(
      target,
      BlockedThreads.Waiter(
        task: task, isLoop: isLoop, isWorker: isWorker, deliveries: 0, mayTimeOut: mayTimeOut)
    ).thread
  }

  func otherView() -> UVView {
    let view = UVView(label: "other", width: 1, workerWidth: 1, agingStep: 100_000_000)
    core.add(view)
    return view
  }
}
