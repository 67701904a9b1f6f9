internal import TaskDispatch

extension State {
  mutating func schedule(_ timed: Timed, at time: DispatcherInstant? = nil) {
    let item = timed.item
    let due = time ?? item.due ?? DispatcherInstant(nanoseconds: now)
    item.place.stage = .timers
    item.place.ticket = timers.insert(
      timed, due: due.nanoseconds, tolerance: item.toleranceInNanoseconds)
  }

  /// Moves every timer whose time has come to where it can run.
  mutating func settleTimers() {
    // The distant future never comes, also when time has been moved as far as it goes.
    let time = min(now, DispatcherInstant.distantFuture.nanoseconds - 1)
    while let (timed, due) = timers.popNext(dueBy: time) {
      decisions?.fired(timed.entry)
      switch timed.item.kind {
      case .sleep: wake(timed)
      case .repeating: tick(timed, due: due)
      default:
        emit(.due, timed.entry)
        enqueueDue(timed.item, timed.entry, at: due)
      }
    }
  }

  /// Nothing runs: the sleeper's Task is resumed, which is a step of its own.
  private mutating func wake(_ timed: Timed) {
    timed.item.place.stage = .nowhere
    emit(.due, timed.entry)
    guard timed.item.begin() else { return }
    ledger.waiting -= 1
    ledger.count(.completed)
    emit(.finished(.completed), timed.entry)
    end(timed.item, .completed)
  }

  private mutating func enqueueDue(_ item: WorkItem, _ entry: Entry, at time: Int64) {
    // From now on it can expire.
    item.place.since = DispatcherInstant(nanoseconds: time)
    guard entry.lane == .foreground else {
      enqueue(item, entry)
      return
    }
    item.place.stage = .due
    item.place.position = due.push(entry, in: .medium)
  }

  /// A repeating timer's time has come.
  private mutating func tick(_ timed: Timed, due time: Int64) {
    let current = DispatcherInstant(nanoseconds: now)
    let repetition = timed.item.repetition!
    let owed = repetition.owed(at: current, since: DispatcherInstant(nanoseconds: time))
    timed.item.place.stage = .nowhere
    for _ in 0..<owed.runs { addRun(of: timed, due: time) }
    // A fixed delay is armed again when its run has ended.
    if repetition.catchUp != .spaced { schedule(timed, at: owed.next) }
  }

  private mutating func addRun(of timed: Timed, due time: Int64) {
    let run = WorkItem.run(of: timed.item)
    let entry = makeEntry(
      .item(run), on: run.lane, timed.entry.view, at: run.site,
      parent: timed.entry.lineage, enqueuedAt: time)
    run.place.id = TaskID(entry.id)
    if allowedLeftovers.contains(timed.entry.id) { allowedLeftovers.insert(entry.id) }
    countAccepted(entry)
    runsOfRepeating[ObjectIdentifier(timed.item), default: []].append(run)
    repeatingOfRun[ObjectIdentifier(run)] = timed
    enqueueDue(run, entry, at: time)
  }

  /// An item has ended; if it was a run of a repeating timer, that goes on.
  mutating func endRun(_ run: WorkItem) {
    guard !repeatingOfRun.isEmpty,
      let timed = repeatingOfRun.removeValue(forKey: ObjectIdentifier(run))
    else { return }
    let key = ObjectIdentifier(timed.item)
    runsOfRepeating[key]?.removeAll { $0 === run }
    if runsOfRepeating[key]?.isEmpty == true { runsOfRepeating[key] = nil }
    let repetition = timed.item.repetition!
    guard repetition.catchUp == .spaced, timed.item.outcome == nil,
      !timed.item.isCancellationRequested, shutdown == nil, !isFinished
    else { return }
    schedule(timed, at: DispatcherInstant(nanoseconds: now).advanced(by: repetition.interval))
  }

  /// Sets the time, and moves what came due to where it can run.
  mutating func move(to time: DispatcherInstant) throws(StepError) {
    let current = DispatcherInstant(nanoseconds: now)
    guard time >= current else { throw .timeBackwards(now: current, requested: time) }
    if decisions != nil, itemsMayExpire, time > current {
      decideStarts(.expiry) { $0.item?.isExpired(at: time.nanoseconds) ?? false }
    }
    now = time.nanoseconds
    settleTimers()
    if itemsMayExpire { expire() }
  }

  /// Ends what waits in a queue and has waited for longer than it lives.
  private mutating func expire() {
    let waiting = waitingItems() + waitingForRoom.compactMap(\.item)
    let expired = waiting.filter { $0.kind != .notification && $0.isExpired(at: now) }
    for item in expired {
      guard let entry = takeBack(item) else { continue }
      endUnstarted(entry, .expired)
    }
  }

  /// When time next makes something happen, the deadlines of a shutdown included.
  var nextDeadline: Int64? {
    var next = timers.nextDeadline
    if let shutdown, shutdown.phase != .over {
      let deadline = shutdown.phase == .draining ? shutdown.drainUntil : shutdown.cancelUntil
      if deadline > now { next = min(next ?? .max, deadline) }
    }
    return next == DispatcherInstant.distantFuture.nanoseconds ? nil : next
  }

  var nextDeadlineInstant: DispatcherInstant? {
    nextDeadline.map { DispatcherInstant(nanoseconds: $0) }
  }
}

extension WorkItem {
  /// Whether it has waited for longer than it lives.
  func isExpired(at time: Int64) -> Bool {
    guard let timeToLive else { return false }
    return time > place.since.advanced(by: timeToLive).nanoseconds
  }
}
