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
    item.placeIsIn = doors.name
    item.place.id = TaskID(accounts.next())
    item.place.parent = parent ?? 0
    item.place.since = DispatcherInstant(
      nanoseconds: timeOfSubmission(hasTimeToLive: item.timeToLive != nil))
  }

  /// The task object of an item that waits. The first call makes it.
  func task(for item: WorkItem) -> QueuedTask {
    if let known = item.queued as? QueuedTask { return known }
    if item.stage == .posted { find(item) }
    let task = makeTask(
      .item(item), id: item.place.id.number, on: item.lane, item.view as? UVView,
      isBarrier: item.isBarrier, site: item.site,
      parent: item.place.parent == 0 ? nil : item.place.parent,
      at: item.place.since.nanoseconds)
    item.queued = task
    return task
  }

  /// The context in which the body of `item` runs here. Nil if it runs in none.
  func runningTask(of item: WorkItem) -> RunningTask? {
    let task = item.queued as? RunningTask
    (task as? BatchContext)?.isKnown = true
    return task
  }

  func forget(_ item: WorkItem) { item.queued = nil }

  // MARK: Posted

  /// Gives a posted item its number and its position, so that it can be found in its queue.
  func place(_ entry: inout Entry, at position: Int) {
    // Taken out and put back: only to look at it would retain and release the item.
    switch consume entry {
    case .item(let item):
      if item.stage == .posted { placePosted(item, at: position) }
      entry = .item(item)
    case .plain(let plain): entry = .plain(plain)
    case .task(let task): entry = .task(task)
    }
  }

  private func placePosted(_ item: WorkItem, at position: Int) {
    numberPosted(item)
    item.place.position = position
    item.stage = .queue
  }

  @inline(__always) func numberPosted(_ item: WorkItem) {
    let posted = item.place.id.number
    item.place.id = TaskID(accounts.next())
    doors.recorder?.noteNumber(of: item, postedAt: posted)
  }

  /// Drains the inbox to which an item was posted, and gives the item its position.
  @inline(never) private func find(_ item: WorkItem) {
    if item.lane == .foreground {
      drainForeground()
      assignPositionsInForeground()
    } else {
      let view = item.view as? UVView
      drainPosted(to: view)
      assignPositions(in: poolView(view))
    }
  }

  /// Gives every posted item that stands in a queue its number and its position.
  func assignPositions() {
    assignPositionsInForeground()
    assignPositionsInBackground()
  }

  // MARK: The gate

  func refuse(_ item: WorkItem, _ refusal: Refusal) {
    accounts.refuse()
    count(.refused(refusal), on: item.lane, item.view as? UVView)
    tell(.refused(refusal), item)
    release(item, .refused(refusal))
  }

  func accept(_ item: WorkItem) {
    accounts.accept()
    tell(.enqueued, item)
  }

  // MARK: Where they wait

  /// Puts an accepted item where it has to wait.
  func put(_ item: WorkItem) {
    switch item.kind {
    case .timer, .repeating, .sleep: schedule(item, at: item.due ?? instant)
    case .notification: standby.hold(item)
    case .event: enqueueDue(item)
    case .task, .reply, .job: enqueue(item)
    }
  }

  func enqueue(_ item: WorkItem) {
    item.stage = .queue
    item.place.position =
      item.lane == .foreground
      ? pushForeground(.item(item))
      : pushBackground(
        .item(item), to: item.view as? UVView, in: item.band, isBarrier: item.isBarrier)
  }

  /// Puts a timer that is due, or the call of an event handler, into the queue in which it can run.
  func enqueueDue(_ item: WorkItem) {
    guard item.lane == .foreground else { return enqueue(item) }
    item.stage = .due
    item.place.position = pushDue(.item(item))
  }

  /// Takes an item out of the place where it waits. False if it waits nowhere.
  func takeBack(_ item: WorkItem) -> Bool {
    var stage = item.stage
    // Another thread may be posting it, perhaps to another dispatcher, and changes the stage at any moment until this is
    // true.
    guard stage != .nowhere else { return false }
    item.requireNotElsewhere(than: doors.name)
    if stage == .posted {
      find(item)
      stage = item.stage
    }
    item.stage = .nowhere
    let isOut: Bool
    switch stage {
    case .nowhere, .posted: isOut = false
    case .held:
      if standby.take(item) { leaveRoomLine(item) }
      return true
    case .timers: isOut = timers.remove(item)
    case .due: isOut = removeDue(at: item.place.position)?.isItem(item) == true
    case .queue: isOut = takeOutOfQueue(item)
    }
    // Else another item would be gone from its queue, and this one would run although it was cancelled.
    require(
      isOut, "\(item.name) does not stand in this dispatcher: it was submitted to another one")
    if stage == .queue {
      noteTaken(item)
      admitCallers()
    }
    return true
  }

  /// Takes an item out of its queue. False if it did not stand there.
  private func takeOutOfQueue(_ item: WorkItem) -> Bool {
    // If so, its slot need not be read: in a long queue that is a cache miss.
    let isKnown = !item.isBarrier && doors.name != .none
    let isOut: Bool
    if item.lane == .background {
      isOut = removeBackground(item, isKnown: isKnown)
    } else if isKnown {
      isOut = leaveTombstoneInForeground(item)
    } else {
      isOut = removeForeground(at: item.place.position)?.isItem(item) == true
    }
    if isKnown, isOut { letGoOfShare(in: item) }
    return isOut
  }

  /// Puts a notification whose group is empty into its queue.
  func letIn(_ item: WorkItem) {
    if standby.takeHeld(item) { enqueue(item) }
  }
}
