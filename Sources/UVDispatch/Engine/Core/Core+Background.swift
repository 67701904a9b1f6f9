internal import TaskDispatch

/// The operations on the background's order. They drain the background's inboxes wherever that is needed, and admit the
/// callers of `sync` that come next.
extension Core {
  // MARK: Views

  func add(_ view: UVView) { background.add(view) }

  /// The views that still exist, in the order in which they were made.
  var views: [PoolView<Entry>] { background.views }

  func poolView(_ view: UVView?) -> PoolView<Entry> { view?.pool ?? background.pool.background }

  func suspend(_ view: UVView?) {
    let time = now
    background.pool.suspend(poolView(view), now: { time })
  }

  /// Ends one suspension of a view, or of the background.
  func resume(_ view: UVView?) {
    drainIfCallersWait(view)
    let time = now
    background.pool.resume(poolView(view), now: { time })
    blocked.suspectCircle()
    admitCallers()
  }

  // MARK: What waits

  /// Workers that are in a body.
  @inline(__always) var busyWorkers: Int { background.pool.busyWorkers }

  /// Whether a task may start on a worker, as far as it was drained.
  @inline(__always) var mayStart: Bool {
    background.pool.canStart(now: { [clock] in clock.now })
  }

  /// Whether two tasks may start on workers, as far as they were drained.
  @inline(__always) var twoMayStart: Bool { background.pool.twoMayStart }

  /// Whether tasks wait in the background, or in a view that is not suspended.
  var hasBackground: Bool {
    !background.pool.background.queue.ready.isEmpty
      || views.contains { !$0.queue.isSuspended && !$0.queue.ready.isEmpty }
  }

  /// Calls `body` with every entry that waits in the background and its views.
  func forEachInBackground(_ body: (borrowing Entry) -> Void) {
    background.pool.background.queue.ready.forEach(body)
    for view in views { view.queue.ready.forEach(body) }
  }

  /// Gives every posted item that stands in a queue of the background its number and its position.
  func assignPositionsInBackground() {
    assignPositions(in: background.pool.background)
    for view in views { assignPositions(in: view) }
  }

  func assignPositions(in view: PoolView<Entry>) { view.assignPositions { place(&$0, at: $1) } }

  // MARK: Into the queues, and out of them

  /// Puts an entry into a queue, behind what was posted before.
  ///
  /// - Returns: Its position.
  func pushBackground(
    _ entry: consuming Entry, to view: UVView?, in band: PriorityBand, isBarrier: Bool
  ) -> Int {
    drainWhatPrecedes(on: .background, in: view)
    // It waits for what runs in its queue, and what comes behind it waits for it: also a thread that waits for room.
    if isBarrier { blocked.suspectCircle() }
    let position = background.pool.submit(
      entry, to: poolView(view), in: band, isBarrier: isBarrier, now: { [clock] in clock.now })
    admitCallers()
    return position
  }

  /// Takes an item out of its queue. False if it did not stand there. The caller calls ``admitCallers()`` after it.
  ///
  /// - Parameter isKnown: Whether the item is known to stand there. Then its slot need not be read.
  func removeBackground(_ item: WorkItem, isKnown: Bool) -> Bool {
    let uvView = item.view as? UVView
    drainIfCallersWait(uvView)
    let view = poolView(uvView)
    // Draining may have moved it.
    let (position, band) = (item.place.position, item.band)
    assert(!isKnown || view.queue.holds(at: position, in: band) { $0.isItem(item) })
    let isOut =
      isKnown
      ? background.pool.leaveTombstone(
        at: position, in: band, of: view, now: { [clock] in clock.now })
      : background.pool.remove(
        at: position, in: band, isBarrier: item.isBarrier, from: view,
        now: { [clock] in clock.now })?.isItem(item) == true
    letGoIfEmpty(view)
    return isOut
  }

  /// Takes a task that is no item out of its queue. The caller calls ``admitCallers()`` after it.
  func removeBackground(_ task: QueuedTask) -> Entry? {
    drainIfCallersWait(task.view)
    let view = poolView(task.view)
    let entry = background.pool.remove(
      at: task.position, in: task.band, isBarrier: task.isBarrier, from: view,
      now: { [clock] in clock.now })
    letGoIfEmpty(view)
    return entry
  }

  // MARK: Starting

  /// Begins the task that a free worker runs next. Nil also if deferred callbacks have to be made first.
  ///
  /// - Parameter context: The running-task context for it, if it is a plain task or a simple item. Nothing runs in it.
  func startOnWorker(_ context: BatchContext) -> Begun? {
    defer { admitCallers() }
    while true {
      // Entries in the inbox are medium, and go behind all that were drained before. Checked again after an expired
      // task, which may have been the last of those.
      if !background.pool.hasMedium, doors.background.mayHoldEntries { drainBackground() }
      if doors.background.mayHoldViews { drainReadyViews() }
      guard let next = background.pool.start(now: { [clock] in clock.now }) else { return nil }
      if let task = begin(next.taken, of: next.view, context) { return task }
      // The task has expired. A thread that makes the callbacks for its end holds no other task.
      if !callbacks.isEmpty { return nil }
    }
  }

  /// Begins the next task of a view, for a worker that is blocked in `sync` on it.
  func startToHelp(_ view: UVView?) -> QueuedTask? {
    defer { admitCallers() }
    if doors.background.mayHoldViews { drainReadyViews() }
    if let view, view.isDrainedOnCompletion { drain(view) }
    while let next = background.pool.startToHelp(poolView(view), now: { [clock] in clock.now }) {
      if case .task(let task) = begin(next.taken, of: next.view, nil) { return task }
      if !callbacks.isEmpty { return nil }
    }
    return nil
  }

  /// Begins what was taken out of the queue of a view.
  ///
  /// - Parameter context: The context of the thread. Nil if that is in use: then the task gets an object.
  @inline(__always)
  private func begin(
    _ taken: consuming ViewQueue<Entry>.Taken, of view: PoolView<Entry>, _ context: BatchContext?
  ) -> Begun? {
    let (runner, isBarrier) = (taken.runner, taken.isBarrier)
    defer { if view.holder != nil { letGoIfEmpty(view) } }
    switch (consume taken).entry {
    case .plain(let plain):
      guard let context else {
        let task = makeTask(
          .plain(plain.body), on: .background, view.holder as? UVView, site: plain.site,
          parent: nil)
        task.isExempt = !plain.counts
        notePromotion(of: task)
        return begin(task, runner, asBarrier: isBarrier)
      }
      context.enter(view.holder as? UVView)
      context.runner = runner
      begin(plain, in: context)
      return .inContext
    case .item(let item):
      guard let context, doors.isSimple(item), !item.isQueuedAsTask else {
        return begin(leaveQueue(item), runner, asBarrier: isBarrier)
      }
      context.enter(view === background.pool.background ? nil : item.view as? UVView)
      context.runner = runner
      begin(item, in: context)
      return .inContext
    case .task(let task): return begin(task, runner, asBarrier: isBarrier)
    }
  }

  private func begin(
    _ task: consuming QueuedTask, _ runner: ViewQueue<Entry>.Runner, asBarrier isBarrier: Bool
  ) -> Begun? {
    noteShare(of: task, runner, asBarrier: isBarrier)
    if begin(task) { return .task(task) }
    giveBackShare(of: task)
    return nil
  }

  /// Lets a caller of `sync` into its queue at once, if nothing stands before it. False if something does.
  @inline(__always) func enter(_ view: UVView?, asBarrier isBarrier: Bool) -> Bool {
    drainWhatPrecedes(on: .background, in: view)
    return background.pool.enter(poolView(view), asBarrier: isBarrier)
  }

  // MARK: Ending

  @inline(__always) func giveBackShare(of task: RunningTask) {
    guard let runner = task.runner.take() else { return }
    drainIfCallersWait(task.view)
    // Last, since draining the inbox of a full view marks that view to be drained on completion again.
    if let view = task.view, view.isDrainedOnCompletion { drainOnCompletion(view) }
    background.pool.finish(
      runner, isBarrier: task.ranAsBarrier, of: poolView(task.view), now: { [clock] in clock.now })
    admitCallers()
    if poolView(task.view).queue.callersWaiting > 0, mayHoldUpCallers(of: task.view) {
      blocked.suspectCircle()
    }
  }

  /// Whether callers that are blocked in `sync` on `view` may be in a circle, now that a task of it has ended: because
  /// the thread of another task of it is blocked, or for want of a worker.
  @inline(never) private func mayHoldUpCallers(of view: UVView?) -> Bool {
    let findsWorker = !workers.isFull(busy: busyWorkers) && workers.mayCome(busy: busyWorkers)
    return !findsWorker
      || running.contains { $0.isBlocked && $0.view === view && $0.lane == .background }
  }

  // MARK: Admitting callers of `sync`

  /// Tells callers of `sync` that they are admitted. Their threads check once the lock is free.
  @inline(__always) func admitCallers() {
    if background.pool.hasAdmitted { admitSome() }
  }

  @inline(never) private func admitSome() {
    for next in background.pool.takeAdmitted() {
      guard case .task(let caller) = next.taken.entry else { continue }
      noteShare(of: caller, next.taken.runner, asBarrier: next.taken.isBarrier)
      letGoIfEmpty(next.view)
      blocked.admit(caller)
    }
  }

  func noteShare(
    of task: QueuedTask, _ runner: ViewQueue<Entry>.Runner, asBarrier isBarrier: Bool
  ) {
    task.runner = runner
    task.ranAsBarrier = isBarrier
  }
}
