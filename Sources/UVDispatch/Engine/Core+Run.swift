internal import TaskDispatch

extension Core {
  // MARK: Taking

  /// The task that a free worker starts next. Nil also if deferred callbacks have to be made first.
  ///
  /// - Parameter frame: The running-task context for it, if it is a plain task or a simple item. Nothing runs in it.
  func startOnWorker(_ frame: QueuedTask) -> QueuedTask? {
    defer { handOutGrants() }
    while true {
      // Entries in the inbox are medium, and go behind all that were drained before. Checked again after an expired
      // task, which may have been the last of those.
      if !pool.hasMedium, inbox.mayHoldEntries { collectBackground() }
      if inbox.mayHoldViews { collectViews() }
      guard let next = pool.start(now: { [clock] in clock.now }) else { return nil }
      if let task = begin(next.taken, of: next.view, frame) { return task }
      // The task has expired. A thread that makes the callbacks for its end holds no other task.
      if !outbox.isEmpty { return nil }
    }
  }

  /// The next task of a view, for a worker that is blocked in `sync` on it.
  func startToHelp(_ view: UVView?) -> QueuedTask? {
    defer { handOutGrants() }
    if inbox.mayHoldViews { collectViews() }
    if let view, view.attendsItself { collect(view) }
    while let next = pool.startToHelp(poolView(view), now: { [clock] in clock.now }) {
      if let task = begin(next.taken, of: next.view, makeFrame(on: .background)) { return task }
      if !outbox.isEmpty { return nil }
    }
    return nil
  }

  @inline(__always)
  private func begin(
    _ taken: consuming ViewQueue<Entry>.Taken, of view: PoolView<Entry>, _ frame: QueuedTask
  ) -> QueuedTask? {
    let (runner, isBarrier) = (taken.runner, taken.isBarrier)
    defer { if view.holder != nil { letGoIfEmpty(view) } }
    switch (consume taken).entry {
    case .plain(let plain):
      frame.enter(view.holder as? UVView)
      frame.runner = runner
      begin(plain, in: frame)
      return frame
    case .item(let item):
      guard isSimple(item), !item.isQueuedAsTask else {
        return begin(leaveQueue(item), runner, asBarrier: isBarrier)
      }
      frame.enter(view === pool.background ? nil : item.view as? UVView)
      frame.runner = runner
      if begin(item, in: frame) { return frame }
      giveBackShare(of: frame)
      return nil
    case .task(let task): return begin(task, runner, asBarrier: isBarrier)
    }
  }

  private func begin(
    _ task: consuming QueuedTask, _ runner: ViewQueue<Entry>.Runner, asBarrier isBarrier: Bool
  ) -> QueuedTask? {
    noteShare(of: task, runner, asBarrier: isBarrier)
    if begin(task) { return task }
    giveBackShare(of: task)
    return nil
  }

  /// Notes that `item` was taken out of its queue, and makes its task object.
  @inline(__always) private func leaveQueue(_ item: WorkItem) -> QueuedTask {
    noteLeft(item)
    return task(for: item)
  }

  /// Notes that `item` was taken out of its queue. If it was only posted, it gets its number now.
  @inline(__always) func noteLeft(_ item: WorkItem) {
    if item.place.stage == .posted { numberPosted(item) }
    item.place.stage = .nowhere
  }

  /// The task that the loop's thread starts next. Nil also if deferred callbacks have to be made first.
  ///
  /// - Parameter frame: The running-task context for it, if it is a plain task or a simple item. Nothing runs in it.
  func takeForeground(_ frame: QueuedTask) -> QueuedTask? {
    if !foreground.hasStartable { collectForeground() }
    while let entry = takePostedOrDue() {
      switch consume entry {
      case .plain(let plain):
        begin(plain, in: frame)
        return frame
      case .item(let item):
        if isSimple(item), !item.isQueuedAsTask {
          if begin(item, in: frame) { return frame }
        } else {
          let task = leaveQueue(item)
          if begin(task) { return task }
        }
      case .task(let task): if begin(task) { return task }
      }
      if !outbox.isEmpty { return nil }
    }
    return nil
  }

  /// Takes due and posted tasks in alternation while both wait. Timers that are overdue again and again, since their
  /// bodies take longer than their interval, must not keep posted tasks from running (rule 11).
  private func takePostedOrDue() -> Entry? {
    if !postedIsNext, let entry = due.take(now: { [clock] in clock.now }) {
      postedIsNext = true
      return entry
    }
    postedIsNext = false
    return foreground.take(now: { [clock] in clock.now }) ?? due.take(now: { [clock] in clock.now })
  }

  @inline(__always) private func begin(_ plain: PlainTask, in frame: QueuedTask) {
    lastID += 1
    frame.hold(plain, id: lastID, at: now)
    countStart(of: frame)
  }

  /// Begins a simple item in `frame`. False if it must not run after all.
  @inline(__always) private func begin(_ item: WorkItem, in frame: QueuedTask) -> Bool {
    noteLeft(item)
    guard item.begin() else {
      letGo(of: .completed, item)
      return false
    }
    frame.hold(item)
    countStart(of: frame)
    return true
  }

  @inline(__always) func countStart(of task: QueuedTask) {
    ledger.waiting -= 1
    ledger.running += 1
    task.runningIndex = running.count
    running.append(task)
  }

  /// Counts a task that was taken out of its queue as started. False if it must not run after all, for example
  /// because it has expired.
  @discardableResult
  func begin(_ task: QueuedTask) -> Bool {
    noteTaken(task)
    if let item = task.item {
      if let timeToLive = item.timeToLive, instant > task.waitsSince.advanced(by: timeToLive) {
        endUnstarted(task, .expired)
        return false
      }
      guard item.begin() else { return false }
      if item.kind == .timer { (item as? RunItem)?.beginBody(at: instant) }
    }
    countStart(of: task)
    if isObserved { tellStart(of: task) }
    return true
  }

  /// Tells the observer that a task starts, and wakes a parked watchdog. There is an observer, and so a watchdog.
  @inline(never) func tellStart(of task: QueuedTask) {
    task.startedAt = now
    if watchdogIsParked, let wakeWatchdog {
      watchdogIsParked = false
      outbox.appendWake(wakeWatchdog)
    }
    tell(.started, task)
  }

  // MARK: Ending

  /// Ends a task whose body has returned.
  ///
  /// - Parameter telling: What is left to be told of the end of its item, if the item has its outcome already.
  func finish(_ task: QueuedTask, _ outcome: Outcome, _ telling: WorkItem.Telling? = nil) {
    giveBackShare(of: task)
    var item: WorkItem?
    if task.isFrame {
      item = task.takeItem()
      if item != nil { task.leaveItem() }
      // Else the context of an idle thread would keep the view.
      task.enter(nil)
    }
    task.hasRun = true
    if task.isCaller {
      if task.lane == .foreground { blocked.flag(callerOf: task) }
      // On the background, the body ran on the thread that called `sync`: no worker run tells the loop of its end.
      if leavesWhenIdle { loop.isWanted = true }
    }
    leaveRunning(task)
    guard !task.isAbandoned else { return letGo(of: outcome, item ?? task.takeItem()) }
    ledger.running -= 1
    ledger.count(outcome)
    if task.isFrame {
      endedPlain(task)
      if let item {
        forget(item)
        if let telling = telling ?? item.setOutcome(outcome) {
          deferTelling(of: item, outcome, telling)
        }
      }
      return
    }
    tell(.finished(outcome), task)
    endedPlain(task)
    if !timersWithRun.isEmpty, let run = task.item as? RunItem { endRun(of: run.timer) }
    releaseWhole(task, outcome)
  }

  @inline(__always) func leaveRunning(_ task: QueuedTask) {
    let last = running.removeLast()
    if last !== task {
      running[task.runningIndex] = last
      last.runningIndex = task.runningIndex
    }
  }

  /// Releases an outcome and an item once the lock is free. This may drop the last references to them, and what a
  /// body made may have a `deinit` that wants the lock.
  @inline(never) func letGo(of outcome: Outcome, _ item: WorkItem?) {
    outbox.append { withExtendedLifetime((item, outcome)) {} }
  }

  @inline(__always) func giveBackShare(of task: QueuedTask) {
    guard let runner = task.runner.take() else { return }
    collectIfCallersWait(task.view)
    // Last, since draining the inbox of a full view marks that view to be drained on completion again.
    if let view = task.view, view.attendsItself { stopAttendingItself(view) }
    pool.finish(
      runner, isBarrier: task.ranAsBarrier, of: poolView(task.view), now: { [clock] in clock.now })
    handOutGrants()
    if poolView(task.view).queue.callersWaiting > 0, mayHoldUpCallers(of: task.view) {
      blocked.mayCloseCircle = true
    }
  }

  /// Whether callers that are blocked in `sync` on `view` may be in a circle, now that a task of it has ended: because
  /// the thread of another task of it is blocked, or for want of a worker.
  @inline(never) private func mayHoldUpCallers(of view: UVView?) -> Bool {
    let findsWorker =
      pool.busyWorkers < workers.width
      && (workers.searching > 0 || workers.hasRoom(busy: pool.busyWorkers))
    return !findsWorker
      || running.contains { $0.isBlocked && $0.view === view && $0.lane == .background }
  }

  /// Ends a task that never started and that stands in no queue any more.
  func endUnstarted(_ task: QueuedTask, _ outcome: Outcome) {
    ledger.waiting -= 1
    ledger.count(outcome)
    tell(.finished(outcome), task)
    endedPlain(task)
    if !timersWithRun.isEmpty, let run = task.item as? RunItem { endTimer(of: run) }
    release(task, outcome)
  }

  func endUnstarted(_ item: WorkItem, _ outcome: Outcome) {
    if item.isQueuedAsTask {
      let task = task(for: item)
      endUnstarted(task, outcome)
      return reuse(consume task)
    }
    countEnd(ofUnstarted: outcome)
    release(item, outcome)
  }

  /// Counts the end of an item that has no task object. Without one, only a shutdown can be waiting for this end.
  @inline(__always) func countEnd(ofUnstarted outcome: Outcome) {
    ledger.waiting -= 1
    ledger.count(outcome)
    if shutdown != nil { loop.isWanted = true }
  }

  /// Whatever its outcome, `task` has ended: flushes wait for it no more, and a shutdown checks again.
  @inline(__always) func endedPlain(_ task: QueuedTask) {
    if !flushes.isEmpty { leaveFlushes(task) }
    if shutdown != nil { loop.isWanted = true }
  }

  @inline(never) private func leaveFlushes(_ task: QueuedTask) {
    for index in flushes.indices { flushes[index].remaining.remove(task.id) }
    settleFlushes()
  }

  /// Resumes the callers of `flush` that have no task left to wait for.
  func settleFlushes() {
    for flush in flushes where flush.remaining.isEmpty { outbox.appendResume(flush.resume) }
    flushes.removeAll { $0.remaining.isEmpty }
  }

  /// The numbers of all tasks of `queue` that wait in it or run, except timers that are not due. O(what waits in all
  /// queues).
  func unfinished(on queue: TaskQueue.Identity) -> Set<UInt64> {
    promotePlain()
    var ids = Set<UInt64>()
    func add(_ task: QueuedTask) { if task.queue == queue { ids.insert(task.id) } }
    // An abandoned task has its outcome already.
    for task in running where !task.isAbandoned { add(task) }
    for item in withoutRoom { add(task(for: item)) }
    forEachReady(add)
    return ids
  }

  /// Calls `body` with everything that waits in a queue, except plain tasks: see ``promotePlain()``.
  func forEachReady(_ body: (QueuedTask) -> Void) {
    forEachEntry { entry in
      switch entry {
      case .plain: break
      case .item(let item): body(task(for: item))
      case .task(let task): body(task)
      }
    }
  }

  /// Calls `body` with every entry of a queue, and makes no task object for it.
  func forEachEntry(_ body: (borrowing Entry) -> Void) {
    // Positions are assigned before: if `body` makes the task object of an item, that must not change the queue.
    tellPositions()
    foreground.forEach(body)
    due.forEach(body)
    pool.background.queue.ready.forEach(body)
    for view in views { view.queue.ready.forEach(body) }
  }
}
