internal import Synchronization
internal import TaskDispatch

/// Deadlocks among the threads that are blocked (rule 14): when they are looked for, and what is done then.
///
/// A thread that is about to be blocked looks for a circle that it closes: ``judge(closing:)``. So none stays,
/// but where a suspended view goes on. When a section of the lock ends and nothing runs and nothing
/// can start, the whole question is asked: ``judge()``. The answer is one verdict, for one thread, since what
/// that does then may let the others go on.
extension Core {
  /// Before the lock is free, or its thread is blocked: finds a thread that nothing can end the wait of, and
  /// flags it with its verdict.
  @inline(__always) func judge() {
    if blocked.searched > 0 { judgeBlocked() }
  }

  @inline(never) private func judgeBlocked() {
    if blocked.mayCloseCircle {
      blocked.mayCloseCircle = false
      judge(circlesOnly: true, last: nil)
    }
    if standsStill { judge(circlesOnly: false, last: nil) }
  }

  /// A thread is about to be blocked: gives a verdict if it has closed a circle.
  func judge(closing thread: BlockedThread) {
    if thread.isSearched { judge(circlesOnly: true, last: thread) }
  }

  /// One verdict, if a thread is not live: of a circle that no help undoes, one thread is refused, and then the
  /// question is asked again. Else one worker helps that can, of those that are live by that alone.
  ///
  /// - Parameter last: The thread that has been blocked just now, and closes a circle if there is one. Nil to look
  ///   for the one that did.
  private func judge(circlesOnly: Bool, last: BlockedThread?) {
    // What was posted has no position yet.
    if !circlesOnly { tellPositions() }
    let groups = AwaitedGroups(of: self, onlyRunning: circlesOnly)
    let unaided = DeadlockSearch(self, groups, circlesOnly: circlesOnly, mayHelp: false).dead
    if unaided.isEmpty { return }
    let search = DeadlockSearch(self, groups, circlesOnly: circlesOnly, mayHelp: true)
    if let first = search.dead.first(where: { !$0.isBusy }) {
      let closing = last.flatMap { $0.isLive ? nil : $0 }
      guard let victim = closing ?? search.victim(from: first) else { return }
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
    guard case .turn(let caller) = thread.target, thread.isWorker, caller.lane == .background,
      !caller.isGranted, !thread.isBusy
    else { return false }
    return poolView(caller.view).queue.helperMayStart(now: { [clock] in clock.now })
  }

  /// Whether nothing runs and nothing can start: every running body is on a thread that is blocked, every
  /// callback too, and neither a worker nor the loop can come to a task. Timers that are not due do not
  /// count, nor do signals and descriptors.
  ///
  /// A thread whose wait may have an end, and has not noticed yet, counts as one that runs.
  var standsStill: Bool {
    guard blocked.flagged == 0, running.count == blocked.tasks,
      outbox.isEmpty, freeLateThreads == 0,
      deliveries.load(ordering: .sequentiallyConsistent) == blocked.deliveries
    else { return false }
    collect()
    if pool.canStart(now: { [clock] in clock.now }),
      workers.searching > 0 || workers.hasRoom(busy: pool.busyWorkers)
    {
      return false
    }
    guard loopRuns, !blocked.holdsLoop else { return true }
    return !hasForeground && (timers.nextDeadline ?? .max) > now
  }

  // MARK: What a search asks

  func isRunning(_ task: QueuedTask) -> Bool {
    task.runningIndex < running.count && running[task.runningIndex] === task
  }

  func identity(of lane: Lane, _ view: UVView?) -> TaskQueue.Identity {
    TaskQueue.Identity(
      dispatcher: dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
  }

  /// Shows every item that waits: in a queue, for its time, or for room. O(what waits).
  func forEachWaitingItem(_ body: (WorkItem) -> Void) {
    forEachEntry { if let item = $0.item { body(item) } }
    func show(_ timer: borrowing WorkItem, _ due: Int64) { body(copy timer) }
    timers.forEach(show)
    for timer in timersWithRun.values { body(timer) }
    for item in held.all { body(item) }
    for item in withoutRoom { body(item) }
  }
}
