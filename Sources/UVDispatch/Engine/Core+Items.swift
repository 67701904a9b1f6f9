internal import TaskDispatch

/// Submissions that asked for more than to run. They stand in the queues themselves, and have no task
/// before they start, unless somebody asks for what only a task tells.
extension Core {
  /// Gives an item its number in this dispatcher, before anybody else sees it here.
  func number(_ item: WorkItem, parent: UInt64?) {
    lastID += 1
    item.place.id = TaskID(lastID)
    item.place.parent = parent ?? 0
    item.place.since = DispatcherInstant(
      nanoseconds: timeOfSubmission(hasTimeToLive: item.timeToLive != nil))
  }

  /// The task of a numbered item that has not ended: made now, if nobody has asked for it before.
  func task(for item: WorkItem) -> QueuedTask {
    if let known = item.queued as? QueuedTask { return known }
    let task = makeTask(
      .item(item), id: item.place.id.number, on: item.lane, item.view as? UVView,
      isBarrier: item.isBarrier, site: item.site,
      parent: item.place.parent == 0 ? nil : item.place.parent,
      at: item.place.since.nanoseconds)
    item.queued = task
    return task
  }

  /// The task of `item`, if that waits or runs here.
  func task(of item: WorkItem) -> QueuedTask? {
    item.queued == nil && item.place.stage == .nowhere ? nil : task(for: item)
  }

  func forget(_ item: WorkItem) { item.queued = nil }

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

  /// Puts an accepted item where it waits.
  func put(_ item: WorkItem) {
    switch item.kind {
    case .timer, .repeating, .sleep: schedule(item, at: item.due ?? instant)
    case .notification:
      item.place.stage = .held
      held.append(item)
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
    if item.lane == .foreground {
      collectForeground()
      item.place.position = foreground.push(.item(item), in: .medium)
      return
    }
    let view = item.view as? UVView
    collectWhatPrecedes(item.place.id.number, in: view)
    item.place.position = pool.submit(
      .item(item), to: poolView(view), in: item.site.band, isBarrier: item.isBarrier,
      now: { [clock] in clock.now })
    handOutGrants()
  }

  /// Puts a timer whose time has come, or what is told of an event, where it can run.
  func enqueueDue(_ item: WorkItem) {
    guard item.lane == .foreground else { return enqueue(item) }
    item.place.stage = .due
    item.place.position = due.push(.item(item), in: .medium)
  }

  /// Takes an item out of wherever it waits. False if it waits nowhere.
  func takeBack(_ item: WorkItem) -> Bool {
    let stage = item.place.stage
    item.place.stage = .nowhere
    let removed: Entry?
    switch stage {
    case .nowhere: return false
    case .held:
      held.removeAll { $0 === item }
      withoutRoom.removeAll { $0 === item }
      return true
    case .timers: removed = item.place.ticket.flatMap { timers.remove($0) }.map { .item($0) }
    case .due: removed = due.remove(at: item.place.position, in: .medium)
    case .queue where item.lane == .foreground:
      removed = foreground.remove(at: item.place.position, in: .medium)
    case .queue:
      collectIfCallersWait(item.view as? UVView)
      let view = poolView(of: item)
      // Collecting may have moved it.
      removed = pool.remove(
        at: item.place.position, in: item.site.band, isBarrier: item.isBarrier, from: view,
        now: { [clock] in clock.now })
      letGoIfEmpty(view)
    }
    // Else somebody else's task would be gone, and this one would run although it was cancelled.
    require(
      removed?.isItem(item) == true,
      "\(item.name) does not stand in this dispatcher: it was submitted to another one")
    if stage == .queue {
      noteTaken(item)
      handOutGrants()
    }
    return true
  }

  /// As the other, for an item that has not started.
  @inline(__always) private func noteTaken(_ item: WorkItem) {
    if limit != nil { giveRoom(of: task(for: item)) }
  }

  /// Lets a notification whose group is empty into its queue.
  func letIn(_ item: WorkItem) {
    guard let index = held.firstIndex(where: { $0 === item }) else { return }
    enqueue(held.remove(at: index))
  }
}
