internal import Synchronization
internal import TaskDispatch

/// What is owed before the lock is free: leases, and a wake of the loop.
extension Core {
  /// Restores the invariants: says which wakes and leases are owed.
  @inline(__always) func settle() {
    if workers.searching > 0 {
      hintToSearchers()
      if workers.arriving == 1, pool.twoMayStart { fetchAnother() }
    } else if workers.mayStart(busy: pool.busyWorkers),
      inbox.isAttended || pool.canStart(now: { [clock] in clock.now })
    {
      oweLease()
    }
    if loop.mustBeTold, loop.isWanted || hasForeground { tellLoop() }
  }

  @inline(never) private func tellLoop() {
    if loop.request(at: { clock.now }) == .hint { loopIsTold.store(true, ordering: .relaxed) }
  }

  /// Unless it turns out that nobody has to look for anything.
  @inline(never) private func oweLease() {
    guard canStartOnWorker else { return }
    guard share.begin() else {
      workers.isShort = true
      return
    }
    mayStart.store(true, ordering: .relaxed)
    workers.patience.learn(at: now)
    workers.start()
    if pool.twoMayStart { fetchAnother() }
  }

  /// See ``WorkerWakeups/wantsAnother(busy:)``.
  func fetchAnother() {
    if workers.wantsAnother(busy: pool.busyWorkers), share.beginAnother() { workers.start() }
  }

  func hintToSearchers() {
    mayStart.store(pool.canStart(now: { [clock] in clock.now }), ordering: .relaxed)
  }

  /// Whether a task may start on a worker. If not, nobody attends to the inbox any more.
  private var canStartOnWorker: Bool {
    while true {
      collectBackground()
      if pool.canStart(now: { [clock] in clock.now }) { return true }
      if !inbox.isAttended || inbox.rest() { return false }
    }
  }

  var hasForeground: Bool { due.hasStartable || foreground.hasStartable }

  /// Whether the loop may look for tasks before it sleeps: nothing else has to be done meanwhile.
  var loopMaySearch: Bool {
    !leavesWhenIdle && shutdown == nil
      && nextDeadline >= now.addingClamped(loop.patience.length)
  }

  /// When the loop has to look again, in nanoseconds; `max` for never.
  var nextDeadline: Int64 {
    min(timers.nextWakeUp ?? .max, shutdown?.nextDeadline(after: now) ?? .max)
  }
}
