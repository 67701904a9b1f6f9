import Foundation
import TaskDispatch
import TaskDispatchTesting

extension ThreadedDispatcher {
  func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    let parent = currentTask
    let work = ThreadedTask.Work.plain(body)
    return withCore { core in
      let task = core.makeTask(work, on: queue, label: nil, site: site, parent: parent)
      if let refusal = core.refusal(of: task, parent) ?? waitForRoom(task, parent) {
        core.refuse(task, refusal)
        return .refused(refusal)
      }
      core.accept(task)
      core.enqueue(task)
      return .accepted
    }
  }

  func submit(_ item: WorkItem) -> Admission { submit(item, mayWait: false) }

  func submitWhenRoom(_ item: WorkItem) { _ = submit(item, mayWait: true) }

  private func submit(_ item: WorkItem, mayWait: Bool) -> Admission {
    let parent = currentTask
    let queue = TaskQueue(
      dispatcher: self, view: item.view, lane: item.lane, isBarrier: item.isBarrier)
    return withCore { core in
      let task = core.makeTask(
        .item(item), on: queue, label: item.label, site: item.site, parent: parent)
      core.tasks[ObjectIdentifier(item)] = task
      item.place.since = core.now
      if let refusal = core.refusal(of: task, parent)
        ?? (mayWait ? nil : waitForRoom(task, parent))
      {
        core.refuse(task, refusal)
        return .refused(refusal)
      }
      core.accept(task)
      switch item.kind {
      case .timer, .repeating, .sleep: core.schedule(task, at: item.due ?? core.now)
      case .notification: core.held.append(task)
      default:
        if core.isFull(task) { core.withoutRoom.append(task) } else { core.enqueue(task) }
      }
      return .accepted
    }
  }

  /// Why a task does not get into its queue, once the caller has waited as long as it may.
  private func waitForRoom(_ task: ThreadedTask, _ caller: ThreadedTask?) -> Refusal? {
    guard core.isFull(task) else { return nil }
    guard case .blockCaller(_, let timeout) = configuration.overflow else { return .limitReached }
    let end = timeout.map { core.now.advanced(by: $0) }
    if end == nil, let caller { core.blocked.insert(caller.id) }
    defer { if let caller { core.blocked.remove(caller.id) } }
    monitor.broadcast()
    while core.isFull(task) {
      if let end, core.now >= end { return .noRoomInTime }
      if caller != nil, end == nil, !core.canProgress { return .wouldDeadlock }
      park(until: end)
      if let refusal = core.refusal(of: task, caller) { return refusal }
    }
    return nil
  }

  func release(_ item: WorkItem) {
    withCore { core in
      guard let index = core.held.firstIndex(where: { $0.item === item }) else { return }
      core.enqueue(core.held.remove(at: index))
    }
  }

  func cancel(_ item: WorkItem) -> Cancellation { withCore { $0.cancel(item) } }

  func suspend(_ queue: TaskQueue) {
    withCore { core in
      let time = core.now.nanoseconds
      core.pool.suspend(core.poolView(queue.view), now: { time })
    }
  }

  func resume(_ queue: TaskQueue) {
    withCore { core in
      let time = core.now.nanoseconds
      core.pool.resume(core.poolView(queue.view), now: { time })
      core.handOutGrants()
    }
  }

  nonisolated(nonsending) func flush(_ queue: TaskQueue) async {
    await withCheckedContinuation { continuation in
      withCore { core in
        core.flushes.append((core.unfinished(on: queue.identity), { continuation.resume() }))
        core.settleFlushes()
      }
    }
  }
}
