internal import TaskDispatch

/// Reconciliation: which wake-ups are pending when the lock is freed. They are starts of worker runs, and a wake-up of
/// the loop.
extension Core {
  /// Restores the invariants: notes which wake-ups are pending.
  @inline(__always) func reconcile() {
    if workers.searching > 0 {
      hintToSearchers()
      if workers.arriving == 1, twoMayStart { startAnother() }
    } else if workers.mayStart(busy: busyWorkers),
      doors.background.isNotified || mayStart
    {
      startWorkerRun()
    }
    if loop.mustBeTold, loop.isWanted || hasForeground { tellLoop() }
  }

  @inline(never) private func tellLoop() {
    if loop.request(at: { clock.now }) == .hint {
      doors.hints.setLoopMustLook(true)
    }
  }

  /// Notes that a worker run is to be started, unless it turns out that no task may start on a worker.
  @inline(never) private func startWorkerRun() {
    guard canStartOnWorker else { return }
    guard share.begin() else {
      workers.isShort = true
      return
    }
    doors.hints.setTaskMayStart(true)
    workers.spinLimit.learn(at: now)
    workers.start()
    if twoMayStart { startAnother() }
  }

  /// Notes that a second worker run is to be started, if there is need: see ``WorkerWakeups/wantsAnother(busy:)``.
  func startAnother() {
    if workers.wantsAnother(busy: busyWorkers), share.beginAnother() { workers.start() }
  }

  /// Tells worker runs that spin whether a task may start.
  func hintToSearchers() {
    doors.hints.setTaskMayStart(mayStart)
  }

  /// Tells threads that spin what was drained since this section was reconciled: they look for it in the inboxes.
  func hintToSpinning() {
    if workers.areSearching { hintToSearchers() }
    if loop.isSpinning, hasForeground { tellLoop() }
  }

  /// Whether a task may start on a worker. If not, the background's inbox is idle after this: the next post to it
  /// notifies a consumer.
  private var canStartOnWorker: Bool {
    while true {
      drainBackground()
      if mayStart { return true }
      if !doors.background.isNotified || doors.background.tryGoIdle() { return false }
    }
  }

  /// Whether the loop's thread may spin for tasks before it sleeps: nothing else has to be done before the spin ends.
  var loopMaySearch: Bool {
    !leavesWhenIdle && !closing.hasBegun
      && nextDeadline >= now.addingClamped(loop.spinLimit.length)
  }

  /// When the loop's thread has to look again by itself, in nanoseconds; `max` for never.
  var nextDeadline: Int64 {
    let timer = timers.nextWakeUp ?? .max
    // Without a shutdown, none of its state is copied, and the clock is not read.
    guard closing.hasBegun else { return timer }
    return min(timer, closing.nextDeadline(after: now) ?? .max)
  }
}
