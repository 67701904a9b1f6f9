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

  /// Keeps the object of a task that has ended for another, unless somebody still looks at it.
  ///
  /// Each is given to the next submission that needs one, so the memory that this saves is allocated
  /// once and not for each of them.
  func reuse(_ task: consuming QueuedTask) {
    guard !task.isFrame, spares.count < Spares.most, isKnownUniquelyReferenced(&task) else {
      return
    }
    task.holdNothing()
    spares.add(task)
  }

  /// A frame for a thread that will run plain bodies of a lane.
  func makeFrame(on lane: Lane) -> QueuedTask {
    QueuedTask(
      framesOf: TaskQueue.Identity(dispatcher: dispatcher, view: nil, lane: lane),
      shutdown: shutdownFlag)
  }

  /// Gives a thread another frame, if somebody may still look at what ran in this one.
  @inline(__always) func renewIfKnown(_ frame: inout QueuedTask) {
    if frame.isKnown { frame = makeFrame(on: frame.lane) }
  }

  // MARK: Plain bodies

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

  // MARK: The gate

  /// Why a submission is refused, or nil. What running bodies submit is drained with them; a timer
  /// would outlive the drain.
  @inline(__always) func refusal(isTimer: Bool, isFromOwnWork: Bool) -> Refusal? {
    shutdown == nil ? nil : refusalInShutdown(isTimer: isTimer, isFromOwnWork: isFromOwnWork)
  }

  @inline(never) private func refusalInShutdown(isTimer: Bool, isFromOwnWork: Bool) -> Refusal? {
    guard let shutdown else { return nil }
    let isTaken = shutdown.phase == .draining && !isTimer && (isFromOwnWork || isInCallbackOfLoop)
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

  /// A task has left its queue: there is room for another.
  @inline(__always) func noteTaken(_ task: QueuedTask) {
    // Without a limit nobody waits for room.
    if limit != nil { giveRoom(of: task) }
  }

  @inline(never) func giveRoom(of task: QueuedTask) {
    guard task.countsAgainstLimits else { return }
    changeLimited(task, by: -1)
    for (index, waiting) in withoutRoom.enumerated() where !isFull(waiting) {
      withoutRoom.remove(at: index)
      return enqueue(waiting)
    }
    hasNewsForWaiters = true
  }

  // MARK: Into the queues

  /// Plain bodies come into the queue of a view. They do not hold that, and so it holds itself.
  private func hold(_ view: UVView) {
    if view.pool.holder == nil {
      view.pool.holder = view
      view.orderOfPlain = lastID
    }
  }

  /// A submission is to come into a queue behind what was posted there.
  @inline(__always) func collectWhatPrecedes(on lane: Lane, in view: UVView?) {
    if lane == .foreground { return collectForeground() }
    guard let view else { return collectBackground() }
    if inbox.mayHoldViews { collectViews() }
    if view.attendsItself { collect(view) }
  }

  /// A submission to a queue is about to get its number: what was posted there before it gets lower ones.
  @inline(__always) func numberWhatPrecedes(on lane: Lane, in view: UVView?) {
    collectWhatPrecedes(on: lane, in: view)
    lane == .foreground ? tellPositionsInForeground() : tellPositions(in: poolView(view))
  }

  /// A turn of a view may have come: what was posted has a say in whose it is, if callers wait for one.
  @inline(__always) func collectIfCallersWait(_ view: UVView?) {
    if poolView(view).queue.callersWaiting > 0 { collectPosted(to: view) }
  }

  @inline(never) func collectPosted(to view: UVView?) {
    collectBackground()
    if let view, view.attendsItself { collect(view) }
  }

  /// Entries have left the queue of a view. Whoever took them holds it.
  func letGoIfEmpty(_ view: PoolView<Entry>) {
    if view.queue.ready.isEmpty { view.holder = nil }
  }

  /// Puts what is no item into its queue.
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

  /// Lets a view go on that is suspended, or the background.
  func resume(_ view: UVView?) {
    collectIfCallersWait(view)
    let time = now
    pool.resume(poolView(view), now: { time })
    handOutGrants()
  }

  /// Tells callers in `sync` whose turn has come. They look when the lock is free.
  @inline(__always) func handOutGrants() {
    if pool.hasGrants { handOutSome() }
  }

  @inline(never) private func handOutSome() {
    for grant in pool.takeGrants() {
      guard case .task(let caller) = grant.taken.entry else { continue }
      noteShare(of: caller, grant.taken.runner, asBarrier: grant.taken.isBarrier)
      letGoIfEmpty(grant.view)
      caller.isGranted = true
      granted += 1
      hasNewsForWaiters = true
      if caller.helped != nil { grantedToHelpers += 1 }
    }
  }

  func noteShare(
    of task: QueuedTask, _ runner: ViewQueue<Entry>.Runner, asBarrier isBarrier: Bool
  ) {
    task.runner = runner
    task.ranAsBarrier = isBarrier
  }
}
