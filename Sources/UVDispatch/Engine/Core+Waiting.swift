internal import TaskDispatch

extension Core {
  /// Whether somebody who waits may have to do something about what has changed.
  ///
  /// All are told of what they wait for by ``BlockedThreads/mustCheck``, or by the item or the group itself.
  /// Bodies that wait look for deadlocks besides: as long as something runs, one of them alone can be
  /// in none, and when that ends it will look.
  var waitersMustLook: Bool {
    if blocked.mustCheck || blocked.checkingAlways > 0 { return true }
    var standing = blocked.loopWaitsInCallback ? 1 : 0
    var somethingRuns = false
    for task in running {
      if task.isBlocked { standing += 1 } else { somethingRuns = true }
    }
    return standing > 1 || standing == 1 && !somethingRuns
  }

  /// Whether anything at all can go on without those who wait.
  ///
  /// Timers aside: a task ends by a worker or the loop, whatever a timer's body does. In a daemon some
  /// timer is always pending, and would hide for ever that nothing goes on.
  var canProgress: Bool {
    collect()
    if blocked.admitted > blocked.admittedWhileHelping || isDelivering || !outbox.isEmpty
      || !loopRuns
    {
      return true
    }
    if running.contains(where: { !$0.isBlocked }) { return true }
    if pool.canStart(now: { [clock] in clock.now }) || running.contains(where: mayHelp) {
      return true
    }
    let loopIsFree =
      !blocked.loopWaitsInCallback
      && !running.contains { $0.lane == .foreground && !$0.isAbandoned }
    return loopIsFree && hasForeground
  }

  /// Whether a task stands in `sync` on a view of which its worker may run another meanwhile. It has
  /// been told, and may not have woken yet.
  private func mayHelp(_ task: QueuedTask) -> Bool {
    guard task.lane == .background, let turn = task.waitsFor, turn.isCaller,
      turn.lane == .background, !turn.isGranted, turn.helped == nil
    else { return false }
    return poolView(turn.view).queue.helperMayStart(now: { [clock] in clock.now })
  }

  /// Whether the turn of somebody who stands in `sync` can never come.
  func isStuck(_ caller: QueuedTask) -> Bool {
    if poolView(caller.view).queue.isSuspended { return false }
    return !canProgress || canNeverEnd(caller)
  }

  func task(of target: WaitTarget) -> QueuedTask? {
    guard case .item(let item) = target else { return nil }
    return task(of: item)
  }

  /// Whether the body of this thread waits for what only bodies that wait could bring about. One whose
  /// time will be over counts as one that goes on.
  func isStuck(waitingFor target: WaitTarget) -> Bool {
    switch target {
    case .item(let item):
      if TaskFrame.stack.contains(where: { $0.item === item }) { return true }
      guard let task = task(of: item) else { return false }
      if canNeverEnd(task) { return true }
      return !canProgress && !poolView(task.view).queue.isSuspended
    case .group(let group):
      if TaskFrame.stack.contains(where: { $0.item?.group === group }) { return true }
      // A timer's body may leave it.
      return !canProgress && timers.isEmpty && hasMember(of: group)
    }
  }

  /// Whether a task of `group` has not ended, and not because its view is suspended. Looked for, since
  /// it is asked only when nothing else goes on, and every task would pay for a list.
  private func hasMember(of group: WorkGroup) -> Bool {
    var isFound = false
    func look(_ task: QueuedTask) {
      if task.item?.group === group, !task.isAbandoned, !poolView(task.view).queue.isSuspended {
        isFound = true
      }
    }
    running.forEach(look)
    for item in withoutRoom { look(task(for: item)) }
    forEachReady(look)
    return isFound
  }

  /// Whether `task` waits, for ever, for bodies that wait for it: a circle that no timer, no
  /// cancellation and no other work can break, whatever else goes on.
  ///
  /// - Parameter path: Those who are known to wait for it.
  private func canNeverEnd(_ task: QueuedTask, waitedForBy path: [QueuedTask] = []) -> Bool {
    if path.contains(where: { $0 === task }) { return true }
    if isRunning(task) {
      guard let next = task.waitsFor else { return false }
      return canNeverEnd(next, waitedForBy: path + [task])
    }
    // What else waits in a queue may be cancelled; who stands in `sync` cannot.
    guard task.isCaller, !task.hasRun, !task.isTurnedAway else { return false }
    // Its thread is not free before that has ended, whatever becomes of its turn.
    if let helped = task.helped, canNeverEnd(helped, waitedForBy: path + [task]) { return true }
    guard !task.isGranted else { return false }
    let before = running.filter { $0.queue == task.queue && !$0.isAbandoned }
    guard !before.isEmpty else { return false }
    func isStuck(_ other: QueuedTask) -> Bool { canNeverEnd(other, waitedForBy: path + [task]) }
    // A barrier needs them all to end.
    if task.isBarrier { return before.contains(where: isStuck) }
    guard task.lane == .background else { return before.allSatisfy(isStuck) }
    let view = poolView(task.view)
    if view.queue.isSuspended { return false }
    // Nor does a barrier that stands before it start while they run. With an item it may be cancelled.
    let isFenced = view.queue.ready.isFenced(at: task.position, in: task.site.band) {
      !$0.isItem
    }
    if isFenced, before.contains(where: isStuck) { return true }
    return (view.queue.runsBarrier || before.count >= view.queue.width)
      && before.allSatisfy(isStuck)
  }

  /// Who waits for whom, from what stands before `task` onwards, until somebody comes up again or
  /// waits for more than one.
  func links(from task: QueuedTask) -> [WaitLink] {
    var links: [WaitLink] = []
    var seen: [QueuedTask] = []
    var next: QueuedTask? = task
    while let task = next {
      let stuck =
        isRunning(task) ? task : running.first { $0.queue == task.queue && canNeverEnd($0) }
      guard let stuck, let waitsFor = stuck.waitsFor, !seen.contains(where: { $0 === stuck })
      else { break }
      seen.append(stuck)
      links.append(
        WaitLink(
          waiter: stuck.name, waiterQueue: stuck.queueLabel,
          waitsFor: waitsFor.isCaller ? "its turn on \(waitsFor.queueLabel)" : waitsFor.name))
      next = waitsFor
    }
    return links
  }

  private func isRunning(_ task: QueuedTask) -> Bool {
    task.runningIndex < running.count && running[task.runningIndex] === task
  }
}
