import Foundation
import TaskDispatch
import TaskDispatchTesting

extension ThreadedDispatcher {
  func sync(on queue: TaskQueue, at site: CallSite, _ body: () -> Void) throws(WaitRefusal) {
    let caller = currentTask
    let refusal = withoutActuallyEscaping(body) { body in
      sync(on: queue, at: site, caller, body)
    }
    if let refusal { throw refusal }
  }

  private func sync(
    on queue: TaskQueue, at site: CallSite, _ caller: ThreadedTask?, _ body: @escaping () -> Void
  ) -> WaitRefusal? {
    let standing = ThreadedCaller(body)
    defer { standing.body = nil }
    let isOnStack = TaskFrame.stack.contains { $0.queue == queue.identity }
    monitor.lock()
    core.now = now
    let task = core.makeTask(.caller(standing), on: queue, label: nil, site: site, parent: caller)
    if let refusal = core.refusal(of: task, caller) {
      core.refuse(task, refusal)
      unlock()
      return .refused(refusal)
    }
    if isOnStack {
      core.refuse(task, .wouldDeadlock)
      unlock()
      return deadlock(caller, "its turn on \(queue.label)")
    }
    core.accept(task)
    core.enqueue(task)
    if let caller { core.blocked.insert(caller.id) }
    monitor.broadcast()
    let refusal = waitForTurn(task, caller, queue)
    if let caller { core.blocked.remove(caller.id) }
    unlock()
    return refusal
  }

  /// Waits under the monitor until the loop has run the body of `task`, or runs it here.
  private func waitForTurn(
    _ task: ThreadedTask, _ caller: ThreadedTask?, _ queue: TaskQueue
  ) -> WaitRefusal? {
    while !task.hasRun {
      if task.isGranted {
        core.granted -= 1
        core.begin(task)
        unlock()
        let outcome = task.perform(by: self, hidesOuter: false)
        monitor.lock()
        core.now = now
        core.finish(task, outcome)
      } else if caller?.lane == .background, let next = core.startToHelp(queue) {
        unlock()
        perform(next, hidesOuter: true)
        monitor.lock()
        core.now = now
      } else if caller != nil, !core.canProgress, !core.isSuspended(queue.view) {
        core.withdraw(task)
        return deadlock(caller, "its turn on \(queue.label)")
      } else {
        park()
      }
    }
    return nil
  }

  func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    let caller = currentTask
    if case .group(let group) = target {
      // Whoever empties the group may know nothing of this dispatcher.
      group.whenEmpty { self.withCore { _ in } }
    }
    let refusal = withCore { core -> WaitRefusal? in
      let end = timeout.map { core.now.advanced(by: $0) }
      if end == nil, let caller { core.blocked.insert(caller.id) }
      defer { if let caller { core.blocked.remove(caller.id) } }
      monitor.broadcast()
      while !hasComeAbout(target) {
        if let end, core.now >= end { return .timedOut }
        if let caller, core.isStuck(caller, waitingFor: target, mayTimeOut: end != nil) {
          return deadlock(caller, name(of: target))
        }
        park(until: end)
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  private func hasComeAbout(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): item.outcome != nil
    case .group(let group): group.count == 0
    }
  }

  private func name(of target: WaitTarget) -> String {
    switch target {
    case .item(let item): item.name
    case .group: "a group"
    }
  }

  private func deadlock(_ caller: ThreadedTask?, _ what: String) -> WaitRefusal {
    let links = TaskFrame.stack.enumerated().map { depth, frame in
      WaitLink(
        waiter: frame.name, waiterQueue: frame.queueLabel,
        waitsFor: depth == 0 ? what : "what it runs meanwhile")
    }
    let here = WaitLink(waiter: "this thread", waiterQueue: nil, waitsFor: what)
    return .wouldDeadlock(chain: links.isEmpty ? [here] : links)
  }
}

extension ThreadedCore {
  /// Whether anything at all can go on without the tasks that wait.
  var canProgress: Bool {
    if granted > 0 || deliveries > 0 || !outbox.isEmpty || !loopRuns { return true }
    if running.contains(where: { !blocked.contains($0.id) }) { return true }
    let time = now.nanoseconds
    if pool.canStart(now: { time }) { return true }
    let loopIsFree = !running.contains { $0.lane == .foreground && !$0.isAbandoned }
    return loopIsFree && (foreground.hasStartable || due.hasStartable || !timers.isEmpty)
  }

  func isSuspended(_ view: QueueView?) -> Bool { poolView(view).queue.isSuspended }

  /// Whether `caller` waits for what only tasks that wait could bring about.
  func isStuck(_ caller: ThreadedTask, waitingFor target: WaitTarget, mayTimeOut: Bool) -> Bool {
    switch target {
    case .item(let item):
      if TaskFrame.stack.contains(where: { $0.item === item }) { return true }
      guard let task = tasks[ObjectIdentifier(item)] else { return false }
      return !mayTimeOut && !canProgress && !isSuspended(task.view)
    case .group(let group):
      let members = tasks.values.filter { $0.item?.group === group }
      return !mayTimeOut && !canProgress && members.contains { !isSuspended($0.view) }
    }
  }
}
