internal import TaskDispatch

/// Draining the inboxes: moves plain tasks and posted items into the queues.
extension Core {
  func collectForeground() {
    guard mailbox.mayHoldEntries else { return }
    mailbox.collect { entries, holdsItems in
      accept(entries.slotCount)
      absorbForeground(&entries, holdsItems: holdsItems)
    }
  }

  func collectBackground() {
    if inbox.mayHoldEntries {
      inbox.collect { entries, holdsItems in
        accept(entries.slotCount)
        absorb(&entries, holdsItems: holdsItems, in: pool.background)
      }
      handOutGrants()
    }
    if inbox.mayHoldViews { collectViews() }
  }

  /// Drains the inboxes of the views that were marked ready, in the order in which they were marked.
  @inline(never) func collectViews() {
    inbox.takeViews(&announced)
    while !announced.isEmpty, let view = announced.takeFirst() { collect(view) }
    announced.settleWhenEmpty()
  }

  /// Drains the inbox of a view, which is notified, into the view's queue. If the view is full, the inbox stays
  /// notified: the thread that next ends a task of the view drains it.
  func collect(_ view: UVView) {
    let isFull = isOpen && view.pool.isFull
    if isFull != view.attendsItself { note(view, attendsItself: isFull) }
    view.inbox.collect(staysAttended: isFull) { entries, holdsItems in
      guard !entries.isEmpty else { return }
      accept(entries.slotCount)
      hold(view)
      absorb(&entries, holdsItems: holdsItems, in: view.pool)
    }
    handOutGrants()
  }

  /// A body of a view that was full has ended: drains the view's inbox. The caller reconciles its ready tokens, by the
  /// end of that task.
  @inline(never) func stopAttendingItself(_ view: UVView) {
    note(view, attendsItself: false)
    view.inbox.collect(staysAttended: false) { entries, holdsItems in
      guard !entries.isEmpty else { return }
      accept(entries.slotCount)
      hold(view)
      absorbUnsettled(&entries, holdsItems: holdsItems, in: view.pool)
    }
  }

  /// Plain tasks hold no reference to their view. So the view holds itself while some wait in its queue.
  private func hold(_ view: UVView) {
    if view.pool.holder == nil {
      view.pool.holder = view
      view.orderOfPlain = lastID
    }
  }

  private func note(_ view: UVView, attendsItself: Bool) {
    view.attendsItself = attendsItself
    if attendsItself {
      attendingThemselves.append(view)
    } else {
      attendingThemselves.removeAll { $0 === view }
    }
  }

  /// Drains every inbox that may hold something.
  func collect() {
    collectForeground()
    collectBackground()
    for view in attendingThemselves { collect(view) }
  }

  func accept(_ count: Int) {
    ledger.accepted += count
    ledger.waiting += count
  }

  /// Closes the inboxes and drains them. From now on tasks come in by ``accept(_:)`` and ``enqueue(_:)`` alone.
  func closeInboxes() {
    isOpen = false
    mailbox.close()
    inbox.close()
    collect()
  }

  /// Makes a task object of every plain task that waits, so that other code can name and find it. O(what waits in the
  /// queues).
  func promotePlain() {
    collect()
    var last: UInt64 = 0
    func promote(_ entry: inout Entry, _ position: Int, _ lane: Lane, _ view: UVView? = nil) {
      switch entry {
      // Plain tasks are all medium. An entry of another band was not before them.
      case .item(let item):
        if item.place.stage == .posted { place(&entry, at: position) }
        if lane == .foreground || item.site.band == .medium { last = item.place.id.number }
      case .task(let task):
        if lane == .foreground || task.site.band == .medium { last = task.order }
      case .plain(let plain):
        lastID += 1
        let queue = TaskQueue.Identity(
          dispatcher: dispatcher, view: view.map { ObjectIdentifier($0) }, lane: lane)
        let task = QueuedTask(
          .plain(plain.body), id: lastID, queue: queue, view: view,
          isBarrier: false, site: plain.site, parent: nil, at: nil, shutdown: shutdownFlag,
          order: last)
        task.position = position
        entry = .task(task)
      }
    }
    updateForeground { promote(&$0, $1, .foreground) }
    last = 0
    pool.background.updateEach { promote(&$0, $1, .background) }
    for pool in views {
      // Unless the view holds itself, no plain task waits in it.
      guard let view = pool.holder as? UVView else { continue }
      last = view.orderOfPlain
      pool.updateEach { promote(&$0, $1, .background, view) }
      pool.holder = nil
    }
  }
}
