internal import TaskDispatch

extension State {
  /// How a submission goes on after the lock is free.
  enum Next {
    case nothing
    /// Run this body now, inside the submission.
    case perform(Body)
    /// Run what can be run, unless somebody steps already.
    case runAutomatically
    /// Make room, and try again.
    case makeRoom
  }

  // MARK: The gate

  /// Why a submission is refused, or nil.
  mutating func refusal(
    isTimer: Bool = false, isFromOwnWork: Bool, at site: CallSite
  ) -> Refusal? {
    if isFinished { return .shutDown }
    if configuration.policy == .unimplemented {
      unexpectedUses.append(site)
      if let report = hooks.onUnexpectedUse { later { report(site) } }
      return .unimplemented
    }
    switch shutdown?.phase {
    case nil: return nil
    // What running bodies submit is drained with them; a timer would outlive the drain.
    case .draining where isFromOwnWork && !isTimer: return nil
    case .draining, .cancelling, .over: return .shutDown
    }
  }

  mutating func countRefusal(_ refusal: Refusal, _ record: TaskRecord) {
    ledger.refused += 1
    if tells { emit(.refused(refusal), record) }
  }

  func limitedCount(_ lane: Lane, _ view: RecordingView?) -> Int {
    if let view { return view.limited }
    return lane == .foreground ? limitedForeground : limitedBackground
  }

  mutating func changeLimited(_ lane: Lane, _ view: RecordingView?, by change: Int) {
    if let view {
      view.limited += change
    } else if lane == .foreground {
      limitedForeground += change
    } else {
      limitedBackground += change
    }
  }

  func isFull(_ lane: Lane, _ view: RecordingView?) -> Bool {
    guard let limit = configuration.overflow.limit else { return false }
    return limitedCount(lane, view) >= limit
  }

  // MARK: Into the queues

  mutating func newID() -> UInt64 {
    lastID += 1
    if leftoverAllowances > 0 { allowedLeftovers.insert(lastID) }
    return lastID
  }

  mutating func countAccepted() {
    ledger.accepted += 1
    ledger.waiting += 1
  }

  /// Puts an accepted entry where it waits. Returns its position.
  @discardableResult
  mutating func enqueue(
    _ entry: consuming Entry, lane: Lane, view: RecordingView?, isBarrier: Bool
  ) -> Int {
    if entry.countsAgainstLimits { changeLimited(lane, view, by: 1) }
    if lane == .foreground { return foreground.push(entry, in: .medium) }
    let time = now
    let position = pool.submit(
      entry, to: poolView(view), in: entry.site.band, isBarrier: isBarrier, now: { time })
    handOutGrants()
    return position
  }

  /// Submits a plain body or a job.
  mutating func admit(
    _ work: Entry.Work, on lane: Lane, _ view: RecordingView?, isBarrier: Bool, site: CallSite,
    frame: TaskFrame?
  ) -> (Admission, Next) {
    let isJob = if case .job = work { true } else { false }
    let parent = parent(frame)
    if !isJob, configuration.policy == .unimplemented || shutdown != nil || isFinished,
      let refusal = refusal(isFromOwnWork: parent != nil, at: site)
    {
      countRefusal(
        refusal,
        Entry(work: work, id: newID(), site: site, enqueuedAt: now, parent: parent)
          .record(lane: lane, queue: label(lane, view)))
      return (.refused(refusal), .nothing)
    }
    let entry = Entry(work: work, id: newID(), site: site, enqueuedAt: now, parent: parent)
    if entry.countsAgainstLimits, isFull(lane, view) {
      if case .blockCaller = configuration.overflow {
        lastID -= 1
        return (.refused(.limitReached), .makeRoom)
      }
      countRefusal(.limitReached, entry.record(lane: lane, queue: label(lane, view)))
      return (.refused(.limitReached), .nothing)
    }
    countAccepted()
    if tells { emit(.enqueued, entry.record(lane: lane, queue: label(lane, view))) }
    let policy = configuration.policy
    if policy == .inline, !isJob, !poolView(view).queue.isSuspended {
      return (.accepted, .perform(perform(inline: entry, lane: lane, view: view)))
    }
    enqueue(entry, lane: lane, view: view, isBarrier: isBarrier)
    return (.accepted, policy == .manual ? .nothing : .runAutomatically)
  }

  /// Submits an item.
  mutating func admit(_ item: WorkItem, frame: TaskFrame?, mayWaitForRoom: Bool) -> (
    Admission, Next
  ) {
    let view = view(item.view)
    let parent = parent(frame)
    let isTimer = item.kind == .timer || item.kind == .repeating || item.kind == .sleep
    let entry = Entry(
      work: .item(item), id: newID(), site: item.site, enqueuedAt: now, parent: parent)
    item.place.id = TaskID(entry.id)
    item.place.since = DispatcherInstant(nanoseconds: now)
    func record() -> TaskRecord { entry.record(lane: item.lane, queue: label(item.lane, view)) }
    if let refusal = refusal(isTimer: isTimer, isFromOwnWork: parent != nil, at: item.site) {
      countRefusal(refusal, record())
      end(item, .refused(refusal))
      return (.refused(refusal), .nothing)
    }
    if item.countsAgainstLimits, isFull(item.lane, view) {
      if mayWaitForRoom {
        countAccepted()
        if tells { emit(.enqueued, record()) }
        parents[entry.id] = parent
        item.place.stage = .held
        waitingForRoom.append(item)
        return (.accepted, .nothing)
      }
      if case .blockCaller = configuration.overflow {
        lastID -= 1
        return (.refused(.limitReached), .makeRoom)
      }
      countRefusal(.limitReached, record())
      end(item, .refused(.limitReached))
      return (.refused(.limitReached), .nothing)
    }
    countAccepted()
    if tells { emit(.enqueued, record()) }
    if isTimer {
      parents[entry.id] = parent
      schedule(item)
      settleTimers()
    } else if item.kind == .notification {
      parents[entry.id] = parent
      item.place.stage = .held
      held.append(item)
    } else if configuration.policy == .inline, !poolView(view).queue.isSuspended {
      guard item.begin() else { return (.accepted, .nothing) }
      return (.accepted, .perform(perform(inline: entry, lane: item.lane, view: view)))
    } else {
      enqueue(item, entry, view)
    }
    return (.accepted, configuration.policy == .manual ? .nothing : .runAutomatically)
  }

  mutating func enqueue(_ item: WorkItem, _ entry: Entry, _ view: RecordingView?) {
    item.place.stage = .queue
    item.place.position = enqueue(
      entry, lane: item.lane, view: view, isBarrier: item.isBarrier)
  }

  /// Lets a notification, or an item that waited for room, into its queue.
  mutating func letIn(_ item: WorkItem) {
    let entry = Entry(
      work: .item(item), id: item.place.id.number, site: item.site,
      enqueuedAt: item.place.since.nanoseconds,
      parent: parents.removeValue(forKey: item.place.id.number))
    enqueue(item, entry, view(item.view))
  }

  mutating func letInThoseWithRoom() {
    guard !waitingForRoom.isEmpty else { return }
    var left: [WorkItem] = []
    for item in waitingForRoom {
      if isFull(item.lane, view(item.view)) { left.append(item) } else { letIn(item) }
    }
    waitingForRoom = left
  }

  // MARK: Timers

  mutating func schedule(_ item: WorkItem, at time: DispatcherInstant? = nil) {
    let due = time ?? item.due ?? DispatcherInstant(nanoseconds: now)
    item.place.stage = .timers
    item.place.ticket = timers.insert(
      item, due: due.nanoseconds, tolerance: item.tolerance.clampedNanoseconds)
  }

  /// Moves every timer whose time has come to where it can run.
  mutating func settleTimers() {
    while let (item, due) = timers.popNext(dueBy: now) {
      item.place.ticket = nil
      switch item.kind {
      case .sleep:
        // Nothing runs: the sleeper's Task is resumed, which is a step of its own.
        item.place.stage = .nowhere
        parents[item.place.id.number] = nil
        if tells { emit(.due, record(of: item)) }
        ledger.waiting -= 1
        ledger.count(.completed)
        if tells { emit(.finished(.completed), record(of: item)) }
        _ = item.begin()
        end(item, .completed)
      case .repeating: tick(item, due: due)
      default:
        if tells { emit(.due, record(of: item)) }
        enqueueDue(item, due: due)
      }
    }
  }

  private mutating func enqueueDue(_ item: WorkItem, due time: Int64) {
    item.place.since = DispatcherInstant(nanoseconds: time)
    let entry = Entry(
      work: .item(item), id: item.place.id.number, site: item.site, enqueuedAt: time,
      parent: parents.removeValue(forKey: item.place.id.number))
    guard item.lane == .foreground else {
      enqueue(item, entry, view(item.view))
      return
    }
    item.place.stage = .due
    item.place.position = due.push(entry, in: .medium)
  }

  /// A repeating timer's time has come.
  private mutating func tick(_ item: WorkItem, due time: Int64) {
    let current = DispatcherInstant(nanoseconds: now)
    let owed = item.repetition!.owed(at: current, since: DispatcherInstant(nanoseconds: time))
    for _ in 0..<owed.runs { addRun(of: item, due: time) }
    if item.repetition!.catchUp == .spaced {
      // Armed again when the run has ended.
      item.place.stage = .nowhere
    } else if shutdown == nil {
      schedule(item, at: owed.next)
    }
  }

  private mutating func addRun(of item: WorkItem, due time: Int64) {
    let run = WorkItem(runOf: item)
    let parent = Lineage(record(of: item), parent: parents[item.place.id.number])
    let entry = Entry(
      work: .item(run), id: newID(), site: item.site, enqueuedAt: time, parent: parent)
    run.place.id = TaskID(entry.id)
    if allowedLeftovers.contains(item.place.id.number) { allowedLeftovers.insert(entry.id) }
    parents[entry.id] = parent
    countAccepted()
    if tells { emit(.enqueued, entry.record(lane: item.lane, queue: label(item.lane, item.view))) }
    runsOfRepeating[ObjectIdentifier(item), default: []].append(run)
    repeatingOfRun[ObjectIdentifier(run)] = item
    enqueueDue(run, due: time)
  }

  /// A run of a repeating timer has ended.
  mutating func endRun(_ run: WorkItem) {
    guard let item = repeatingOfRun.removeValue(forKey: ObjectIdentifier(run)) else { return }
    let key = ObjectIdentifier(item)
    runsOfRepeating[key]?.removeAll { $0 === run }
    if runsOfRepeating[key]?.isEmpty == true { runsOfRepeating[key] = nil }
    guard item.repetition!.catchUp == .spaced, item.outcome == nil, !item.isCancellationRequested,
      shutdown == nil, !isFinished
    else { return }
    schedule(
      item, at: DispatcherInstant(nanoseconds: now).advanced(by: item.repetition!.interval))
  }

  // MARK: Records

  func record(of item: WorkItem) -> TaskRecord {
    TaskRecord(
      id: item.place.id, label: item.label, lane: item.lane, queue: label(item.lane, item.view),
      site: item.site, parent: parents[item.place.id.number]?.record.id,
      enqueuedAt: item.place.since)
  }
}
