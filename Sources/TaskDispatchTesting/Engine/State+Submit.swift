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
      noteUnexpectedUse(site)
      return .unimplemented
    }
    switch shutdown?.phase {
    case nil: return nil
    // What running bodies submit is drained with them; a timer would outlive the drain.
    case .draining where isFromOwnWork && !isTimer: return nil
    case .draining, .cancelling, .over: return .shutDown
    }
  }

  /// Notes a use of a dispatcher that should not be used.
  mutating func noteUnexpectedUse(_ site: CallSite) {
    unexpectedUses.append(site)
    if let report = hooks.onUnexpectedUse { later { report(site) } }
  }

  mutating func countRefusal(_ refusal: Refusal, _ record: TaskRecord) {
    ledger.refused += 1
    emit(.refused(refusal), record)
  }

  mutating func changeLimited(_ entry: borrowing Entry, by change: Int) {
    if let view = entry.view {
      view.limited += change
    } else if entry.lane == .foreground {
      limitedForeground += change
    } else {
      limitedBackground += change
    }
  }

  func isFull(_ lane: Lane, _ view: RecordingView?) -> Bool {
    guard let limit = configuration.overflow.limit else { return false }
    if let view { return view.limited >= limit }
    return (lane == .foreground ? limitedForeground : limitedBackground) >= limit
  }

  // MARK: Into the queues

  mutating func newID() -> UInt64 {
    lastID += 1
    if leftoverAllowances > 0 { allowedLeftovers.insert(lastID) }
    return lastID
  }

  mutating func countAccepted(_ entry: Entry) {
    ledger.accepted += 1
    ledger.waiting += 1
    if tells { emit(.enqueued, entry.record) }
  }

  /// Puts an accepted entry where it waits. Returns its position.
  @discardableResult
  mutating func enqueue(_ entry: consuming Entry, isBarrier: Bool) -> Int {
    if configuration.overflow != .unbounded, entry.countsAgainstLimits {
      changeLimited(entry, by: 1)
    }
    if entry.lane == .foreground { return foreground.push(entry, in: .medium) }
    let time = now
    let view = poolView(entry.view)
    let band = entry.site.band
    let position = pool.submit(entry, to: view, in: band, isBarrier: isBarrier, now: { time })
    handOutGrants()
    return position
  }

  mutating func enqueue(_ item: WorkItem, _ entry: Entry) {
    item.place.stage = .queue
    item.place.position = enqueue(entry, isBarrier: item.isBarrier)
  }

  /// Submits a plain body or a job.
  mutating func admit(
    _ work: consuming Entry.Work, on lane: Lane, _ view: RecordingView?, isBarrier: Bool,
    site: CallSite
  ) -> (Admission, Next) {
    let isJob = if case .job = work { true } else { false }
    let body = bodyOfThisThread
    let entry = Entry(
      work: work, id: newID(), site: site, enqueuedAt: now, parent: body?.lineageForChild(),
      view: view, lane: lane)
    if configuration.policy == .unimplemented || shutdown != nil || isFinished {
      if isJob {
        if configuration.policy == .unimplemented { noteUnexpectedUse(site) }
      } else if let refusal = refusal(isFromOwnWork: body != nil, at: site) {
        countRefusal(refusal, entry.record)
        return (.refused(refusal), .nothing)
      }
    }
    if !isJob, isFull(lane, view) { return full(entry) }
    countAccepted(entry)
    if runsInline(view), !isJob { return (.accepted, .perform(perform(inline: entry))) }
    enqueue(entry, isBarrier: isBarrier)
    return (.accepted, configuration.policy == .manual ? .nothing : .runAutomatically)
  }

  /// Submits an item.
  mutating func admit(_ item: WorkItem, mayWaitForRoom: Bool) -> (Admission, Next) {
    let view = view(item.view)
    let body = bodyOfThisThread
    let isTimer = item.kind == .timer || item.kind == .repeating || item.kind == .sleep
    let entry = Entry(
      work: .item(item), id: newID(), site: item.site, enqueuedAt: now,
      parent: body?.lineageForChild(), view: view, lane: item.lane)
    item.place.id = TaskID(entry.id)
    item.place.since = DispatcherInstant(nanoseconds: now)
    if let refusal = refusal(isTimer: isTimer, isFromOwnWork: body != nil, at: item.site) {
      countRefusal(refusal, entry.record)
      end(item, .refused(refusal))
      return (.refused(refusal), .nothing)
    }
    if item.countsAgainstLimits, isFull(item.lane, view) {
      guard mayWaitForRoom else { return full(entry) }
      countAccepted(entry)
      item.place.stage = .held
      waitingForRoom.append(entry)
      return (.accepted, .nothing)
    }
    countAccepted(entry)
    if item.timeToLive != nil { itemsWithTimeToLive += 1 }
    if isTimer {
      schedule(Timed(item: item, entry: entry))
      settleTimers()
    } else if item.kind == .notification {
      item.place.stage = .held
      held.append(entry)
    } else if runsInline(view) {
      guard item.begin() else { return (.accepted, .nothing) }
      return (.accepted, .perform(perform(inline: entry)))
    } else {
      enqueue(item, entry)
    }
    return (.accepted, configuration.policy == .manual ? .nothing : .runAutomatically)
  }

  /// A queue has no room for `entry`.
  private mutating func full(_ entry: Entry) -> (Admission, Next) {
    if case .blockCaller = configuration.overflow {
      // It is tried again under another number, so this one was never given.
      allowedLeftovers.remove(lastID)
      lastID -= 1
      return (.refused(.limitReached), .makeRoom)
    }
    countRefusal(.limitReached, entry.record)
    if let item = entry.item { end(item, .refused(.limitReached)) }
    return (.refused(.limitReached), .nothing)
  }

  /// A caller waited for room in vain.
  mutating func refuseForWantOfRoom(
    _ refusal: Refusal, _ work: Entry.Work, on lane: Lane, _ view: RecordingView?, at site: CallSite
  ) {
    let entry = Entry(
      work: work, id: newID(), site: site, enqueuedAt: now,
      parent: bodyOfThisThread?.lineageForChild(), view: view, lane: lane)
    countRefusal(refusal, entry.record)
    if let item = entry.item { end(item, .refused(refusal)) }
  }

  private func runsInline(_ view: RecordingView?) -> Bool {
    configuration.policy == .inline && !poolView(view).queue.isSuspended
  }

  /// Lets a notification whose group is empty into its queue. False if it does not wait.
  mutating func release(_ item: WorkItem) -> Bool {
    guard let index = held.firstIndex(where: { $0.item === item }) else { return false }
    enqueue(item, held.remove(at: index))
    return true
  }

  mutating func letInThoseWithRoom() {
    var left: [Entry] = []
    for entry in waitingForRoom {
      if isFull(entry.lane, entry.view) { left.append(entry) } else { enqueue(entry.item!, entry) }
    }
    waitingForRoom = left
  }
}
