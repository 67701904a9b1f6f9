internal import TaskDispatch

/// Plain bodies, which come in by the inboxes and go from there into the queues.
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

  /// Moves what views have in their inboxes into their queues, in the order in which they were announced.
  @inline(never) func collectViews() {
    inbox.takeViews(&announced)
    while !announced.isEmpty, let view = announced.takeFirst() { collect(view) }
    announced.settleWhenEmpty()
  }

  /// Moves what a view has in its inbox, which is attended, into its queue.
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

  /// A body of a view that was full has ended. Settles nothing: its end does.
  @inline(never) func stopAttendingItself(_ view: UVView) {
    note(view, attendsItself: false)
    view.inbox.collect(staysAttended: false) { entries, holdsItems in
      guard !entries.isEmpty else { return }
      accept(entries.slotCount)
      hold(view)
      absorbUnsettled(&entries, holdsItems: holdsItems, in: view.pool)
    }
  }

  /// Plain bodies come into the queue of a view. They do not hold that, and so it holds itself.
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

  func collect() {
    collectForeground()
    collectBackground()
    for view in attendingThemselves { collect(view) }
  }

  func accept(_ count: Int) {
    ledger.accepted += count
    ledger.waiting += count
  }

  /// Lets plain bodies come in by ``accept(_:)`` and ``enqueue(_:)`` alone from now on.
  func closeInboxes() {
    isOpen = false
    mailbox.close()
    inbox.close()
    collect()
  }

  /// Makes an object of every plain body that waits, for those who must be able to name it. O(what
  /// waits in the queues).
  func promotePlain() {
    collect()
    var last: UInt64 = 0
    func promote(_ entry: inout Entry, _ position: Int, _ lane: Lane, _ view: UVView? = nil) {
      switch entry {
      // Plain ones are all medium. What stands in another band was not before them.
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
      // Where none holds itself, no plain body waits.
      guard let view = pool.holder as? UVView else { continue }
      last = view.orderOfPlain
      pool.updateEach { promote(&$0, $1, .background, view) }
      pool.holder = nil
    }
  }
}
