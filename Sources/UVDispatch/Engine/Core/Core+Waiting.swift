internal import TaskDispatch

/// Deadlocks among blocked threads (rule 14): when the dispatcher searches for them, and what it does then.
///
/// A thread that is about to be blocked looks for a circle that it closes: ``judge(closing:)``. A circle that comes
/// about otherwise is found when a section of the lock ends: see ``BlockedThreads/mayCloseCircle``. If nothing runs
/// and nothing can start when a section ends, ``judge()`` asks the whole question. The answer is one verdict, for one
/// thread: what that thread does then may let the others go on.
extension Core {
  /// Before a thread frees the lock or is blocked: finds a blocked thread whose wait nothing can end, and flags it with
  /// its verdict.
  @inline(__always) func judge() {
    if blocked.searched > 0 { judgeBlocked() }
  }

  @inline(never) private func judgeBlocked() {
    if blocked.takeSuspicion() { judge(circlesOnly: true) }
    if standsStill { judge(circlesOnly: false) }
  }

  /// Gives a verdict if `thread`, which is about to be blocked, has closed a circle.
  func judge(closing thread: BlockedThread) {
    if thread.isSearched { judge(circlesOnly: true) }
  }

  /// Gives one verdict, if a thread is not live. If that is so even with help, one thread is refused; when it has gone,
  /// the dispatcher asks again. Else one worker that can help does, among the threads that only help makes live.
  private func judge(circlesOnly: Bool) {
    // Posted entries have no position yet.
    if !circlesOnly { assignPositions() }
    let groups = AwaitedGroups(of: self, onlyRunning: circlesOnly)
    let unaided = DeadlockSearch(self, groups, circlesOnly: circlesOnly, mayHelp: false).dead
    if unaided.isEmpty { return }
    let search = DeadlockSearch(self, groups, circlesOnly: circlesOnly, mayHelp: true)
    if let first = search.dead.first(where: { !$0.isBusy }) {
      guard let victim = search.victim(from: first) else { return }
      victim.refuse(search.links(after: victim))
      return blocked.flag(victim)
    }
    guard let helper = unaided.first(where: mayHelp) else { return }
    helper.mayHelp = true
    blocked.flag(helper)
  }

  /// Whether a blocked thread may run the first task of the queue that it waits for, on top of its wait: if it
  /// is a worker that waits in `sync`.
  private func mayHelp(_ thread: BlockedThread) -> Bool {
    guard case .admission(let caller) = thread.target, thread.isWorker, caller.lane == .background,
      !caller.isAdmitted, !thread.isBusy
    else { return false }
    return poolView(caller.view).queue.helperMayStart(now: { [clock] in clock.now })
  }

  /// Whether nothing runs and nothing can start: every running body and every callback is on a blocked thread, and
  /// neither a worker nor the loop's thread can come to a task. Timers that are not due do not count, nor do signals
  /// and descriptors.
  ///
  /// A flagged thread counts as one that runs: its wait may have an end that it has not noticed yet.
  var standsStill: Bool {
    guard blocked.flagged == 0, running.count == blocked.tasks,
      callbacks.isEmpty, late.freeThreads == 0,
      doors.callbackCounts.count == blocked.deliveries
    else { return false }
    drainAll()
    hintToSpinning()
    if mayStart, workers.mayCome(busy: busyWorkers) { return false }
    guard loopRuns, !blocked.holdsLoop else { return true }
    return !hasForeground && (timers.nextDeadline ?? .max) > now
  }

  // MARK: What a search asks

  func isRunning(_ task: RunningTask) -> Bool { running.contains(task) }

  func identity(of lane: Lane, _ view: UVView?) -> TaskQueue.Identity {
    TaskQueue.Identity(
      dispatcher: doors.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
  }

  /// Calls `body` with every item that waits: in a queue, for its time, or for room. O(what waits).
  func forEachWaitingItem(_ body: (WorkItem) -> Void) {
    forEachEntry { if let item = $0.item { body(item) } }
    timers.forEach(body)
    for item in standby.all { body(item) }
  }
}
