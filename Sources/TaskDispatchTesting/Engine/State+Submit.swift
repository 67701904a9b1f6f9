internal import TaskDispatch

extension State {
  /// How a submission goes on after the lock is free.
  enum Next {
    case nothing
    /// Run this body now, inside the submission.
    case perform(Entry)
    /// Run what can be run, unless a thread steps already.
    case runAutomatically
    /// Make room, and then submit the work of this entry again.
    case makeRoom(Entry)
  }

  // MARK: The gate

  /// Why a submission is refused, or nil.
  mutating func refusal(
    isTimer: Bool = false, isFromOwnWork: Bool, at site: CallSite
  ) -> Refusal? {
    if isFinished { return .shutDown }
    if configuration.policy == .unimplemented {
      noteUnexpectedUse(site)
      return .unimplemented
    }
    switch shutdown?.phase {
    case nil: return nil
    // Work that a running body submits is drained with that body. A timer would outlive the drain.
    case .draining
    where !isTimer && (isFromOwnWork || TaskContext.deliveries(for: dispatcher) > 0):
      return nil
    case .draining, .cancelling, .over: return .shutDown
    }
  }

  /// Whether ``refusal(isTimer:isFromOwnWork:at:)`` could say no.
  private var mayRefuse: Bool {
    configuration.policy == .unimplemented || shutdown != nil || isFinished
  }

  /// Notes a use of a dispatcher whose policy is `.unimplemented`.
  mutating func noteUnexpectedUse(_ site: CallSite) {
    unexpectedUses.append(site)
    if let report = hooks.onUnexpectedUse { later { report(site) } }
  }

  mutating func countRefusal(_ refusal: Refusal, _ entry: Entry) {
    countEnd(.refused(refusal), of: entry)
    letGo(of: entry)
    emit(.refused(refusal), entry)
  }

  // MARK: Into the queues

  mutating func countAccepted(_ entry: Entry) {
    ledger.accepted += 1
    ledger.waiting += 1
    emit(.enqueued, entry)
  }

  /// Puts an accepted entry into its queue. Returns its position.
  @discardableResult
  mutating func enqueue(_ entry: Entry, isBarrier: Bool) -> Int {
    noteArrival(of: entry)
    if entry.lane == .foreground { return foreground.posted.push(entry, in: .medium) }
    if decisions != nil { decideStarts(before: entry) }
    let time = now
    let position = pool.submit(
      entry, to: poolView(entry.view), in: entry.band, isBarrier: isBarrier, now: { time })
    admitCallers()
    return position
  }

  mutating func enqueue(_ item: WorkItem, _ entry: Entry) {
    item.stage = .queue
    item.place.position = enqueue(entry, isBarrier: item.isBarrier)
  }

  /// Submits a plain body.
  mutating func admit(
    _ work: consuming Entry.Work, on lane: Lane, _ view: RecordingView?, isBarrier: Bool,
    site: CallSite
  ) -> (Admission, Next) {
    let body = currentBody
    let entry = makeEntry(work, on: lane, view, at: site, parent: body?.lineage)
    if mayRefuse, let refusal = refusal(isFromOwnWork: body != nil, at: site) {
      countRefusal(refusal, entry)
      return (.refused(refusal), .nothing)
    }
    if let limit = limit(of: lane, view), limit.isFull { return full(entry, limit.overflow) }
    countAccepted(entry)
    if runsInline(view) { return (.accepted, .perform(perform(inline: entry))) }
    enqueue(entry, isBarrier: isBarrier)
    return (.accepted, configuration.policy == .manual ? .nothing : .runAutomatically)
  }

  /// Submits a job of a Swift Task, which cannot be refused.
  mutating func admit(
    _ job: Job, on lane: Lane, _ view: RecordingView?, site: CallSite, swiftTask: String?
  ) -> Entry {
    let parent = currentBody?.lineage
    let entry = makeEntry(
      .job(job), on: lane, view, at: site, parent: parent, swiftTask: swiftTask)
    countAccepted(entry)
    enqueue(entry, isBarrier: false)
    return entry
  }

  /// Submits an item.
  mutating func admit(_ item: WorkItem, mayWaitForRoom: Bool) -> (Admission, Next) {
    let view = view(item.view)
    let body = currentBody
    let isTimer = item.kind == .timer || item.kind == .repeating || item.kind == .sleep
    let entry = makeEntry(
      .item(item), on: item.lane, view, at: item.site, parent: body?.lineage)
    item.placeIsIn = name
    item.place.id = TaskID(entry.id)
    item.place.since = DispatcherInstant(nanoseconds: now)
    if let refusal = refusal(isTimer: isTimer, isFromOwnWork: body != nil, at: item.site) {
      countRefusal(refusal, entry)
      end(item, .refused(refusal))
      return (.refused(refusal), .nothing)
    }
    if item.timeToLive != nil { itemsMayExpire = true }
    if item.countsAgainstLimits, let limit = limit(of: item.lane, view), limit.isFull {
      guard mayWaitForRoom else { return full(entry, limit.overflow) }
      countAccepted(entry)
      item.stage = .held
      waitingForRoom.append(entry)
      return (.accepted, .nothing)
    }
    countAccepted(entry)
    // A sleep whose time has passed becomes a task: otherwise its Task would go on without a step.
    if isTimer, !(item.kind == .sleep && isPast(item.due)) {
      schedule(Timed(item: item, entry: entry))
      moveDueTimers()
    } else if item.kind == .notification {
      item.stage = .held
      held.append(entry)
    } else if runsInline(view) {
      item.beginTaken()
      return (.accepted, .perform(perform(inline: entry)))
    } else {
      enqueue(item, entry)
    }
    return (.accepted, configuration.policy == .manual ? .nothing : .runAutomatically)
  }

  /// Handles a submission for which its queue has no room.
  private mutating func full(_ entry: Entry, _ overflow: Overflow) -> (Admission, Next) {
    switch overflow {
    case .blockCaller:
      // The work is submitted again under another number, so this number is taken back.
      allowedLeftovers.remove(lastID)
      lastID -= 1
      return (.refused(.limitReached), .makeRoom(entry))
    case .unbounded, .reject:
      countRefusal(.limitReached, entry)
      if let item = entry.item { end(item, .refused(.limitReached)) }
      return (.refused(.limitReached), .nothing)
    }
  }

  /// Refuses the work of `tried`: its caller waited for room in vain.
  mutating func refuseForWantOfRoom(_ refusal: Refusal, _ tried: Entry) {
    let entry = makeEntry(
      tried.work, on: tried.lane, tried.view, at: tried.site, parent: currentBody?.lineage)
    countRefusal(refusal, entry)
    if let item = entry.item { end(item, .refused(refusal)) }
  }

  private func isPast(_ due: DispatcherInstant?) -> Bool { (due?.nanoseconds ?? now) <= now }

  private func runsInline(_ view: RecordingView?) -> Bool {
    configuration.policy == .inline && !poolView(view).queue.isSuspended
  }

  /// Moves a notification whose group is empty into its queue. Returns false if the item does not wait for its group.
  mutating func release(_ item: WorkItem) -> Bool {
    guard let index = held.firstIndex(where: { $0.item === item }) else { return false }
    enqueue(item, held.remove(at: index))
    return true
  }
}
