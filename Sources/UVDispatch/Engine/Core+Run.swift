internal import TaskDispatch

extension Core {
  // MARK: Taking

  /// The task that a free worker starts next. Nil as well if callbacks are due before that.
  ///
  /// - Parameter frame: The frame for it if it is a plain body. Nothing runs in it.
  func startOnWorker(_ frame: QueuedTask) -> QueuedTask? {
    defer { handOutGrants() }
    while true {
      // What the inbox holds is medium, and behind all that was collected before. Again after one
      // that had expired: it may have been the last that was collected.
      if !pool.hasMedium, inbox.mayHoldEntries { collectBackground() }
      if inbox.mayHoldViews { collectViews() }
      guard let next = pool.start(now: { [clock] in clock.now }) else { return nil }
      if let task = begin(next.taken, of: next.view, frame) { return task }
      // One has expired. The thread that tells of it holds no other.
      if !outbox.isEmpty { return nil }
    }
  }

  /// The next task of a view, for a worker that waits in its `sync`.
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

  /// Notes that an item that was taken stands nowhere any more.
  @inline(__always) private func leaveQueue(_ item: WorkItem) -> QueuedTask {
    noteLeft(item)
    return task(for: item)
  }

  @inline(__always) func noteLeft(_ item: WorkItem) {
    if item.place.stage == .posted { numberPosted(item) }
    item.place.stage = .nowhere
  }

  /// The task that the loop starts next. Nil as well if callbacks are due before that.
  ///
  /// - Parameter frame: As of ``startOnWorker(_:)``.
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

  /// In turns while both wait: timers that are overdue again and again, since their bodies take longer
  /// than the time between them, must not keep what was posted from running (rule 11).
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

  /// As of a plain body. False if it must not run after all.
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

  /// Counts a task that was taken as started. False if it must not run after all.
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

  /// There is an observer, and so a watchdog.
  @inline(never) func tellStart(of task: QueuedTask) {
    task.startedAt = now
    if watchdogIsParked, let wakeWatchdog {
      watchdogIsParked = false
      outbox.appendWake(wakeWatchdog)
    }
    tell(.started, task)
  }

  // MARK: Ending

  /// A body has run to its end.
  ///
  /// - Parameter telling: What is left of the end of its item, if that has its outcome already.
  func finish(_ task: QueuedTask, _ outcome: Outcome, _ telling: WorkItem.Telling? = nil) {
    giveBackShare(of: task)
    var item: WorkItem?
    if task.isFrame {
      item = task.takeItem()
      if item != nil { task.leaveItem() }
      // Else a thread that has no more to do would keep the view.
      task.enter(nil)
    }
    task.hasRun = true
    if task.isCaller {
      if task.lane == .foreground { blocked.flag(callerOf: task) }
      // Else it ran on its caller's thread, which is no lease: nobody else tells the loop.
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

  /// An abandoned task has run to its end: it is nobody else's any more, and what its body made may
  /// have a `deinit` that wants the lock.
  @inline(never) func letGo(of outcome: Outcome, _ item: WorkItem?) {
    outbox.append { withExtendedLifetime((item, outcome)) {} }
  }

  @inline(__always) func giveBackShare(of task: QueuedTask) {
    guard let runner = task.runner.take() else { return }
    collectIfCallersWait(task.view)
    // Last, for what looks into a queue that is full makes it attend itself.
    if let view = task.view, view.attendsItself { stopAttendingItself(view) }
    pool.finish(
      runner, isBarrier: task.ranAsBarrier, of: poolView(task.view), now: { [clock] in clock.now })
    handOutGrants()
    if poolView(task.view).queue.callersWaiting > 0, mayHoldUpCallers(of: task.view) {
      blocked.mayCloseCircle = true
    }
  }

  /// Whether callers that wait in `view` may be in a circle, now that a body of it has ended: through another that is
  /// blocked, or for want of a worker.
  @inline(never) private func mayHoldUpCallers(of view: UVView?) -> Bool {
    let findsWorker =
      pool.busyWorkers < workers.width
      && (workers.searching > 0 || workers.hasRoom(busy: pool.busyWorkers))
    return !findsWorker
      || running.contains { $0.isBlocked && $0.view === view && $0.lane == .background }
  }

  /// Ends a task that never started, and that stands in no queue any more.
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

  /// Of an item for whose task nobody has asked: so nobody but a shutdown waits for its end.
  @inline(__always) func countEnd(ofUnstarted outcome: Outcome) {
    ledger.waiting -= 1
    ledger.count(outcome)
    if shutdown != nil { loop.isWanted = true }
  }

  /// Whatever its outcome: nobody waits for it any more.
  @inline(__always) func endedPlain(_ task: QueuedTask) {
    if !flushes.isEmpty { leaveFlushes(task) }
    if shutdown != nil { loop.isWanted = true }
  }

  @inline(never) private func leaveFlushes(_ task: QueuedTask) {
    for index in flushes.indices { flushes[index].remaining.remove(task.id) }
    settleFlushes()
  }

  func settleFlushes() {
    for flush in flushes where flush.remaining.isEmpty { outbox.appendResume(flush.resume) }
    flushes.removeAll { $0.remaining.isEmpty }
  }

  /// Everything of a queue that waits in it or runs, timers that are not due aside.
  func unfinished(on queue: TaskQueue.Identity) -> Set<UInt64> {
    promotePlain()
    var ids = Set<UInt64>()
    func add(_ task: QueuedTask) { if task.queue == queue { ids.insert(task.id) } }
    // An abandoned body has its outcome.
    for task in running where !task.isAbandoned { add(task) }
    for item in withoutRoom { add(task(for: item)) }
    forEachReady(add)
    return ids
  }

  /// Shows everything that waits in a queue, plain bodies aside: see ``promotePlain()``.
  func forEachReady(_ body: (QueuedTask) -> Void) {
    forEachEntry { entry in
      switch entry {
      case .plain: break
      case .item(let item): body(task(for: item))
      case .task(let task): body(task)
      }
    }
  }

  /// Shows everything that has come into a queue, and makes no task for that.
  func forEachEntry(_ body: (borrowing Entry) -> Void) {
    // Whoever asks for the task of one must not change the queue meanwhile.
    tellPositions()
    foreground.forEach(body)
    due.forEach(body)
    pool.background.queue.ready.forEach(body)
    for view in views { view.queue.ready.forEach(body) }
  }
}
