internal import TaskDispatch

extension Core {
  func makeTask(
    _ work: consuming QueuedTask.Work, on lane: Lane, _ view: consuming UVView?,
    isBarrier: Bool = false, site: CallSite, parent: UInt64?
  ) -> QueuedTask {
    numberWhatPrecedes(on: lane, in: view)
    lastID += 1
    return makeTask(
      work, id: lastID, on: lane, view, isBarrier: isBarrier, site: site, parent: parent,
      at: timeOfSubmission())
  }

  func makeTask(
    _ work: consuming QueuedTask.Work, id: UInt64, on lane: Lane, _ view: consuming UVView?,
    isBarrier: Bool, site: CallSite, parent: UInt64?, at time: Int64
  ) -> QueuedTask {
    let queue = TaskQueue.Identity(
      dispatcher: dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
    if let spare = spares.take() {
      spare.hold(
        work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site,
        parent: parent, at: time)
      return spare
    }
    return QueuedTask(
      work, id: id, queue: queue, view: view, isBarrier: isBarrier, site: site,
      parent: parent, at: time, shutdown: shutdownFlag)
  }

  /// Keeps the object of an ended task for a later one, unless other code still refers to it.
  ///
  /// The next submission that needs an object takes it. So its memory is allocated once, and not for each of them.
  func reuse(_ task: consuming QueuedTask) {
    guard !task.isFrame, spares.count < Spares.most, isKnownUniquelyReferenced(&task) else {
      return
    }
    task.holdNothing()
    spares.add(task)
  }

  /// Makes a running-task context for a thread that will run plain tasks of a lane.
  func makeFrame(on lane: Lane) -> QueuedTask {
    QueuedTask(
      framesOf: TaskQueue.Identity(dispatcher: dispatcher, view: nil, lane: lane),
      shutdown: shutdownFlag)
  }

  /// Gives a thread a new context, if other code may still look at what ran in this one.
  @inline(__always) func renewIfKnown(_ frame: inout QueuedTask) {
    if frame.isKnown { frame = makeFrame(on: frame.lane) }
  }

  // MARK: The gate

  /// Why a submission is refused; nil if it is accepted. While a shutdown drains, it accepts what running bodies, other
  /// code on the loop's thread and deferred callbacks submit. It accepts no timer, which would outlive the drain.
  @inline(__always) func refusal(isTimer: Bool, isFromOwnWork: Bool) -> Refusal? {
    shutdown == nil ? nil : refusalInShutdown(isTimer: isTimer, isFromOwnWork: isFromOwnWork)
  }

  @inline(never) private func refusalInShutdown(isTimer: Bool, isFromOwnWork: Bool) -> Refusal? {
    guard let shutdown else { return nil }
    let isTaken =
      shutdown.phase == .draining && !isTimer
      && (isFromOwnWork || isOnLoopThread || TaskFrame.deliveries(for: dispatcher) > 0)
    return isTaken ? nil : .shutDown
  }

  func refuse(_ task: QueuedTask, _ refusal: Refusal) {
    ledger.refused += 1
    tell(.refused(refusal), task)
    release(task, .refused(refusal))
  }

  func accept(_ task: QueuedTask) {
    accept(1)
    tell(.enqueued, task)
  }

  // MARK: Limits

  func isFull(_ task: QueuedTask) -> Bool {
    guard let limit, task.countsAgainstLimits else { return false }
    if let view = task.view { return view.limited >= limit }
    return (task.lane == .foreground ? limitedForeground : limitedBackground) >= limit
  }

  @inline(__always) private func changeLimited(_ task: QueuedTask, by change: Int) {
    if limit != nil { countLimited(task, by: change) }
  }

  @inline(never) func countLimited(_ task: QueuedTask, by change: Int) {
    guard task.countsAgainstLimits else { return }
    if let view = task.view {
      view.limited += change
    } else if task.lane == .foreground {
      limitedForeground += change
    } else {
      limitedBackground += change
    }
  }

  /// A task has left its queue: gives its room to another.
  @inline(__always) func noteTaken(_ task: QueuedTask) {
    // Without a limit, no submission waits for room.
    if limit != nil { giveRoom(of: task) }
  }

  @inline(never) func giveRoom(of task: QueuedTask) {
    guard task.countsAgainstLimits else { return }
    changeLimited(task, by: -1)
    for (index, waiting) in withoutRoom.enumerated() where !isFull(waiting) {
      withoutRoom.remove(at: index)
      return enqueue(waiting)
    }
    blocked.flagThoseWithoutRoom()
  }

  // MARK: Into the queues

  /// Drains the inbox of a queue, so that a submission comes into that queue behind what was posted before.
  @inline(__always) func collectWhatPrecedes(on lane: Lane, in view: UVView?) {
    if lane == .foreground { return collectForeground() }
    guard let view else { return collectBackground() }
    if inbox.mayHoldViews { collectViews() }
    if view.attendsItself { collect(view) }
  }

  /// Gives what was posted to a queue its numbers, so that the next submission to it gets a higher one.
  @inline(__always) func numberWhatPrecedes(on lane: Lane, in view: UVView?) {
    collectWhatPrecedes(on: lane, in: view)
    lane == .foreground ? tellPositionsInForeground() : tellPositions(in: poolView(view))
  }

  /// Drains the inboxes if a caller is blocked in `sync` on `view`: it may be admitted next, and what was posted
  /// counts in the choice of what is next.
  @inline(__always) func collectIfCallersWait(_ view: UVView?) {
    if poolView(view).queue.callersWaiting > 0 { collectPosted(to: view) }
  }

  @inline(never) func collectPosted(to view: UVView?) {
    collectBackground()
    if let view, view.attendsItself { collect(view) }
  }

  /// Entries have left the queue of a view. If it is empty, the view no longer holds itself. The calling code refers
  /// to the view.
  func letGoIfEmpty(_ view: PoolView<Entry>) {
    if view.queue.ready.isEmpty { view.holder = nil }
  }

  /// Puts a task that is no item into its queue.
  func enqueue(_ task: QueuedTask) {
    changeLimited(task, by: 1)
    collectWhatPrecedes(on: task.lane, in: task.view)
    if task.lane == .foreground {
      task.position = foreground.push(.task(task), in: .medium)
      return
    }
    task.position = pool.submit(
      .task(task), to: poolView(task.view), in: task.site.band, isBarrier: task.isBarrier,
      now: { [clock] in clock.now })
    handOutGrants()
  }

  /// Ends one suspension of a view, or of the background.
  func resume(_ view: UVView?) {
    collectIfCallersWait(view)
    let time = now
    pool.resume(poolView(view), now: { time })
    blocked.mayCloseCircle = true
    handOutGrants()
  }

  /// Tells callers of `sync` that they are admitted. Their threads check once the lock is free.
  @inline(__always) func handOutGrants() {
    if pool.hasGrants { handOutSome() }
  }

  @inline(never) private func handOutSome() {
    for grant in pool.takeGrants() {
      guard case .task(let caller) = grant.taken.entry else { continue }
      noteShare(of: caller, grant.taken.runner, asBarrier: grant.taken.isBarrier)
      letGoIfEmpty(grant.view)
      caller.isGranted = true
      blocked.admitted += 1
      blocked.flag(callerOf: caller)
    }
  }

  func noteShare(
    of task: QueuedTask, _ runner: ViewQueue<Entry>.Runner, asBarrier isBarrier: Bool
  ) {
    task.runner = runner
    task.ranAsBarrier = isBarrier
  }
}
