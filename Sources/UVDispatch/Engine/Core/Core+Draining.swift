internal import TaskDispatch

/// Draining: plain tasks and posted items move from the background's inboxes into its queues.
///
/// A thread drains the inbox of a queue before it puts anything else into that queue, before it chooses what a view
/// runs next, and before it needs to know all that waits.
extension Core {

  func drainBackground() {
    if doors.background.mayHoldEntries {
      doors.background.drain { entries, holdsItems, since in
        accounts.accept(entries.slotCount)
        let pool = background.pool.background
        absorb(&entries, holdsItems, since, in: pool, accounts.statistics(of: .background))
      }
      admitCallers()
    }
    if doors.background.mayHoldViews { drainReadyViews() }
  }

  /// Drains the inboxes of the views that were marked ready, in the order in which they were marked.
  @inline(never) func drainReadyViews() {
    doors.background.takeReadyViews(&background.ready)
    while !background.ready.isEmpty, let view = background.ready.takeFirst() { drain(view) }
    background.ready.shrinkWhenEmpty()
  }

  /// Drains the inbox of a view, which is notified, into the view's queue. If the view is full, the inbox stays
  /// notified: the thread that next ends a task of the view drains it.
  func drain(_ view: UVView) {
    let isFull = background.isOpen && view.pool.isFull
    if isFull != view.isDrainedOnCompletion { background.note(view, isDrainedOnCompletion: isFull) }
    view.inbox.drain(staysNotified: isFull) { entries, holdsItems, since in
      guard !entries.isEmpty else { return }
      accounts.accept(entries.slotCount)
      retainWhilePlain(view)
      absorb(&entries, holdsItems, since, in: view.pool, view.statistics)
    }
    admitCallers()
  }

  /// A body of a view that was full has ended: drains the view's inbox. The caller reconciles its ready tokens, by the
  /// end of that task.
  @inline(never) func drainOnCompletion(_ view: UVView) {
    background.note(view, isDrainedOnCompletion: false)
    view.inbox.drain(staysNotified: false) { entries, holdsItems, since in
      guard !entries.isEmpty else { return }
      accounts.accept(entries.slotCount)
      retainWhilePlain(view)
      absorbUnreconciled(&entries, holdsItems, since, in: view.pool, view.statistics)
    }
  }

  /// Plain tasks hold no reference to their view. So the view holds itself while some wait in its queue.
  private func retainWhilePlain(_ view: UVView) {
    if view.pool.holder == nil {
      view.pool.holder = view
      view.orderOfPlain = accounts.lastNumber
    }
  }

  private func absorb(
    _ entries: inout Ring<Entry>, _ holdsItems: Bool, _ since: Int64, in view: PoolView<Entry>,
    _ statistics: QueueStatistics
  ) {
    absorbUnreconciled(&entries, holdsItems, since, in: view, statistics)
    // By a closure and not by the property: with that, Swift 6.3.1 makes a broken module for ThreadSanitizer.
    ownedBackground.update { $0.pool.reconcile(view, now: { [clock] in clock.now }) }
  }

  /// Adds entries to `view`, and leaves its ready tokens as they are. The caller reconciles them next.
  private func absorbUnreconciled(
    _ entries: inout Ring<Entry>, _ holdsItems: Bool, _ since: Int64, in view: PoolView<Entry>,
    _ statistics: QueueStatistics
  ) {
    let before = view.positionsOfMedium
    view.absorb(&entries, isUnindexed: holdsItems)
    statistics.noteArrival(
      since: since, before, view.positionsOfMedium, view.compactionsOfMedium)
  }

  /// Entries have left the queue of a view. If it is empty, the view no longer holds itself. The calling code refers
  /// to the view.
  func letGoIfEmpty(_ view: PoolView<Entry>) {
    if view.queue.ready.isEmpty { view.holder = nil }
  }

  /// Drains the inbox of a queue, so that a submission comes into that queue behind what was posted before.
  @inline(__always) func drainWhatPrecedes(on lane: Lane, in view: UVView?) {
    if lane == .foreground { return drainForeground() }
    guard let view else { return drainBackground() }
    if doors.background.mayHoldViews { drainReadyViews() }
    if view.isDrainedOnCompletion { drain(view) }
  }

  /// Gives what was posted to a queue its numbers, so that the next submission to it gets a higher one.
  @inline(__always) func numberWhatPrecedes(on lane: Lane, in view: UVView?) {
    drainWhatPrecedes(on: lane, in: view)
    lane == .foreground ? assignPositionsInForeground() : assignPositions(in: poolView(view))
  }

  /// Drains the inboxes if a caller is blocked in `sync` on `view`: it may be admitted next, and what was posted
  /// counts in the choice of what is next.
  @inline(__always) func drainIfCallersWait(_ view: UVView?) {
    if poolView(view).queue.callersWaiting > 0 { drainPosted(to: view) }
  }

  @inline(never) func drainPosted(to view: UVView?) {
    drainBackground()
    if let view, view.isDrainedOnCompletion { drain(view) }
  }

  /// Drains every inbox that may hold something.
  func drainAll() {
    drainForeground()
    drainBackground()
    for view in background.full { drain(view) }
  }

  /// Closes the inboxes and drains them. From now on tasks come in by ``accept(_:)`` and ``enqueue(_:)`` alone.
  func closeInboxes() {
    background.isOpen = false
    doors.foreground.close()
    doors.background.close()
    drainAll()
  }

  /// A plain task has left its queue, and has got an object.
  func notePromotion(of task: QueuedTask) {
    let statistics = task.view?.statistics ?? accounts.statistics(of: task.lane)
    guard let recorded = statistics.recorded else { return }
    Recorder.noteNumber(task.id, ofPlain: &recorded.value, from: task.site)
  }

  /// Makes a task object of every plain task that waits, so that other code can name and find it. O(what waits in the
  /// queues).
  func materialisePlainTasks() {
    drainAll()
    var last: UInt64 = 0
    func promote(_ entry: inout Entry, _ position: Int, _ lane: Lane, _ view: UVView? = nil) {
      switch entry {
      // Plain tasks are all medium. An entry of another band was not before them.
      case .item(let item):
        if item.stage == .posted { place(&entry, at: position) }
        if lane == .foreground || item.band == .medium { last = item.place.id.number }
      case .task(let task):
        if lane == .foreground || task.band == .medium { last = task.order }
      case .plain(let plain):
        let number = accounts.next()
        let queue = TaskQueue.Identity(
          dispatcher: doors.dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
        let task = QueuedTask(
          .plain(plain.body), id: number, queue: queue, view: view,
          isBarrier: false, site: plain.site, parent: nil, at: nil, shutdown: doors.shutdownFlag,
          order: last)
        task.position = position
        task.isExempt = !plain.counts
        notePromotion(of: task)
        entry = .task(task)
      }
    }
    updateForeground { promote(&$0, $1, .foreground) }
    last = 0
    background.pool.background.updateEach { promote(&$0, $1, .background) }
    for pool in background.views {
      // Unless the view holds itself, no plain task waits in it.
      guard let view = pool.holder as? UVView else { continue }
      last = view.orderOfPlain
      pool.updateEach { promote(&$0, $1, .background, view) }
      pool.holder = nil
    }
  }
}
