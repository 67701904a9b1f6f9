internal import TaskDispatch

/// Items: submissions that asked for more than to run, for a handle for example. They stand in the queues themselves. A
/// *simple* item runs in the running-task context of its thread. Any other item gets a task object when it starts. Code
/// that asks for what only that object can tell gets it made earlier.
extension Core {
  /// Gives an item its number in this dispatcher, before another thread sees the item here.
  func number(_ item: WorkItem, parent: UInt64?) {
    switch item.kind {
    case .task, .reply, .job: numberWhatPrecedes(on: item.lane, in: item.view as? UVView)
    case .timer, .repeating, .sleep, .notification, .event: break
    }
    lastID += 1
    item.placeIsIn = name
    item.place.id = TaskID(lastID)
    item.place.parent = parent ?? 0
    item.place.since = DispatcherInstant(
      nanoseconds: timeOfSubmission(hasTimeToLive: item.timeToLive != nil))
  }

  /// The task object of an item that has not ended. The first call makes it.
  func task(for item: WorkItem) -> QueuedTask {
    if let known = item.queued as? QueuedTask {
      known.isKnown = true
      return known
    }
    if item.place.stage == .posted { find(item) }
    let task = makeTask(
      .item(item), id: item.place.id.number, on: item.lane, item.view as? UVView,
      isBarrier: item.isBarrier, site: item.site,
      parent: item.place.parent == 0 ? nil : item.place.parent,
      at: item.place.since.nanoseconds)
    item.queued = task
    return task
  }

  /// The task object of `item`, if the item waits or runs here.
  func task(of item: WorkItem) -> QueuedTask? {
    !item.isQueuedAsTask && item.place.stage == .nowhere ? nil : task(for: item)
  }

  func forget(_ item: WorkItem) { item.queued = nil }

  // MARK: Posted

  /// Whether an item is simple: it runs in its thread's context, and needs no task object unless code asks for one.
  @inline(__always) func isSimple(_ item: WorkItem) -> Bool {
    isSimple && item.isSimple
  }

  /// Posts an item to the inbox of its queue, if the item may wait among plain tasks. The submitting thread calls this
  /// without the lock, before another thread sees the item.
  ///
  /// - Returns: What the caller has to do next. ``ViewInbox/Begun/isRefused`` also if the item may not wait among plain
  ///   tasks; then nothing has changed.
  @inline(__always)
  func post(_ item: WorkItem, to view: UVView?, parent: UInt64?) -> ViewInbox.Begun {
    guard isSimple(item), item.site.band == .medium || item.lane == .foreground else {
      return .isRefused
    }
    if let view {
      let begun = view.inbox.beginPost {
        inbox.announce(view)
      } announceMore: {
        inbox.announceMore()
      }
      if begun == .isRefused { return begun }
      prepare(item, parent: parent)
      view.inbox.post(.item(item), isItem: true)
      return begun
    }
    if item.lane == .foreground {
      guard mailbox.beginPost() else { return .isRefused }
      prepare(item, parent: parent)
      return mailbox.post(.item(item), isItem: true) ? .mustFetch : .isAttended
    }
    guard inbox.beginPost() else { return .isRefused }
    prepare(item, parent: parent)
    return inbox.post(.item(item), isItem: true) ? .mustFetch : .isAttended
  }

  private func prepare(_ item: WorkItem, parent: UInt64?) {
    item.placeIsIn = name
    item.place.parent = parent ?? 0
    item.place.since = DispatcherInstant(nanoseconds: recentTime)
    item.place.stage = .posted
  }

  /// Gives a posted item its number and its position, so that it can be found in its queue.
  func place(_ entry: inout Entry, at position: Int) {
    guard case .item(let item) = entry, item.place.stage == .posted else { return }
    numberPosted(item)
    item.place.position = position
    item.place.stage = .queue
  }

  @inline(__always) func numberPosted(_ item: WorkItem) {
    lastID += 1
    item.place.id = TaskID(lastID)
  }

  /// Drains the inbox to which an item was posted, and gives the item its position.
  @inline(never) private func find(_ item: WorkItem) {
    if item.lane == .foreground {
      collectForeground()
      tellPositionsInForeground()
    } else {
      let view = item.view as? UVView
      collectPosted(to: view)
      tellPositions(in: poolView(view))
    }
  }

  /// Gives every posted item that stands in a queue its number and its position.
  func tellPositions() {
    tellPositionsInForeground()
    tellPositions(in: pool.background)
    for view in views { tellPositions(in: view) }
  }

  // MARK: The gate

  func refuse(_ item: WorkItem, _ refusal: Refusal) {
    ledger.refused += 1
    tell(.refused(refusal), item)
    release(item, .refused(refusal))
  }

  func accept(_ item: WorkItem) {
    accept(1)
    tell(.enqueued, item)
  }

  // MARK: Where they wait

  func isFull(_ item: WorkItem) -> Bool { limit != nil && isFull(task(for: item)) }

  /// Puts an accepted item where it has to wait.
  func put(_ item: WorkItem) {
    switch item.kind {
    case .timer, .repeating, .sleep: schedule(item, at: item.due ?? instant)
    case .notification:
      item.place.stage = .held
      held.insert(item)
    case .event: enqueueDue(item)
    case .task, .reply, .job:
      if !isFull(item) { return enqueue(item) }
      item.place.stage = .held
      withoutRoom.append(item)
    }
  }

  func enqueue(_ item: WorkItem) {
    if limit != nil { countLimited(task(for: item), by: 1) }
    item.place.stage = .queue
    let view = item.view as? UVView
    collectWhatPrecedes(on: item.lane, in: view)
    if item.lane == .foreground {
      item.place.position = foreground.push(.item(item), in: .medium)
      return
    }
    item.place.position = pool.submit(
      .item(item), to: poolView(view), in: item.site.band, isBarrier: item.isBarrier,
      now: { [clock] in clock.now })
    handOutGrants()
  }

  /// Puts a timer that is due, or the call of an event handler, into the queue in which it can run.
  func enqueueDue(_ item: WorkItem) {
    guard item.lane == .foreground else { return enqueue(item) }
    item.place.stage = .due
    item.place.position = due.push(.item(item), in: .medium)
  }

  /// Takes an item out of the place where it waits. False if it waits nowhere.
  func takeBack(_ item: WorkItem) -> Bool {
    if item.place.stage == .posted { find(item) }
    let stage = item.place.stage
    item.place.stage = .nowhere
    let isOut: Bool
    switch stage {
    case .nowhere: return false
    case .posted: isOut = false
    case .held:
      if !held.remove(item) { withoutRoom.removeAll { $0 === item } }
      return true
    case .timers: isOut = timers.remove(item.place.ticket) === item
    case .due: isOut = due.remove(at: item.place.position, in: .medium)?.isItem(item) == true
    case .queue: isOut = takeOutOfQueue(item)
    }
    // Else another item would be gone from its queue, and this one would run although it was cancelled.
    require(
      isOut, "\(item.name) does not stand in this dispatcher: it was submitted to another one")
    if stage == .queue {
      noteTaken(item)
      handOutGrants()
    }
    return true
  }

  /// Takes an item out of its queue. False if it did not stand there.
  private func takeOutOfQueue(_ item: WorkItem) -> Bool {
    // If so, its slot need not be read: in a long queue that is a cache miss.
    let isKnown = !item.isBarrier && item.placeIsIn == name && name != .none
    let isOut: Bool
    if item.lane == .foreground {
      let position = item.place.position
      assert(!isKnown || foreground.holds(at: position, in: .medium) { $0.isItem(item) })
      isOut =
        isKnown
        ? foreground.vacate(at: position, in: .medium)
        : foreground.remove(at: position, in: .medium)?.isItem(item) == true
    } else {
      let uvView = item.view as? UVView
      collectIfCallersWait(uvView)
      let view = poolView(uvView)
      // Draining may have moved it.
      let (position, band) = (item.place.position, item.site.band)
      assert(!isKnown || view.queue.holds(at: position, in: band) { $0.isItem(item) })
      isOut =
        isKnown
        ? pool.vacate(at: position, in: band, of: view, now: { [clock] in clock.now })
        : pool.remove(
          at: position, in: band, isBarrier: item.isBarrier, from: view,
          now: { [clock] in clock.now })?.isItem(item) == true
      letGoIfEmpty(view)
    }
    if isKnown, isOut { letGoOfShare(in: item) }
    return isOut
  }

  /// An item that has not started has left its queue: gives its room to another.
  @inline(__always) private func noteTaken(_ item: WorkItem) {
    if limit != nil { giveRoom(of: task(for: item)) }
  }

  /// Puts a notification whose group is empty into its queue.
  func letIn(_ item: WorkItem) {
    if held.remove(item) { enqueue(item) }
  }
}
