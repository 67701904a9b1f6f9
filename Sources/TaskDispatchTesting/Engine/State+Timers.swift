internal import TaskDispatch

extension State {
  mutating func schedule(_ timed: Timed, at time: DispatcherInstant? = nil) {
    let item = timed.item
    let due = time ?? item.due ?? DispatcherInstant(nanoseconds: now)
    item.stage = .timers
    item.place.ticket = timers.insert(
      timed, due: due.nanoseconds, tolerance: item.toleranceInNanoseconds)
  }

  /// Handles every timer that is due. A sleep resumes its Task; any other timer moves to where it can run.
  mutating func moveDueTimers() {
    // The distant future never comes, even if time has been moved as far as it goes.
    let time = min(now, DispatcherInstant.distantFuture.nanoseconds - 1)
    while let (timed, due) = timers.popNext(dueBy: time) {
      decisions?.fired(timed.entry)
      switch timed.item.kind {
      case .sleep: wake(timed)
      case .repeating: comeDue(timed, at: due)
      default:
        emit(.due, timed.entry)
        enqueueDue(timed.item, timed.entry, at: due)
      }
    }
  }

  /// Ends a sleep. No body runs: the sleeper's Task is resumed, and its next job is a step of its own.
  private mutating func wake(_ timed: Timed) {
    timed.item.stage = .nowhere
    emit(.due, timed.entry)
    timed.item.beginTaken()
    ledger.waiting -= 1
    countEnd(.completed, of: timed.entry)
    emit(.finished(.completed), timed.entry)
    end(timed.item, .completed)
  }

  private mutating func enqueueDue(_ item: WorkItem, _ entry: Entry, at time: Int64) {
    // From now on the item can expire.
    item.place.since = DispatcherInstant(nanoseconds: time)
    guard entry.lane == .foreground else {
      enqueue(item, entry)
      return
    }
    item.stage = .due
    item.place.position = foreground.due.push(entry, in: .medium)
  }

  // MARK: Repeating

  private func timer(_ timed: Timed) -> RepeatingItem {
    guard let timer = timed.item as? RepeatingItem else {
      refuse("\(timed.item.name) does not repeat")
    }
    return timer
  }

  private mutating func comeDue(_ timed: Timed, at due: Int64) {
    let timer = timer(timed)
    timer.stage = .nowhere
    goOn(timed, timer.comeDue(at: DispatcherInstant(nanoseconds: now)), due: due)
  }

  private mutating func goOn(_ timed: Timed, _ next: RepeatingItem.Next, due: Int64) {
    switch next {
    case .run: addRun(of: timed, due: due)
    case .wait(let time): schedule(timed, at: time)
    case .end: endUnstarted(timed.entry, .cancelled)
    }
  }

  private mutating func addRun(of timed: Timed, due time: Int64) {
    let run = timer(timed).makeRun()
    let entry = makeEntry(
      .item(run), on: run.lane, timed.entry.view, at: run.site,
      parent: timed.entry.lineage, enqueuedAt: time)
    run.placeIsIn = name
    run.place.id = TaskID(entry.id)
    if allowedLeftovers.contains(timed.entry.id) { allowedLeftovers.insert(entry.id) }
    countAccepted(entry)
    timersWithRun[ObjectIdentifier(timed.item)] = timed
    enqueueDue(run, entry, at: time)
  }

  private mutating func takeRun(of timer: RepeatingItem) -> Timed? {
    timersWithRun.removeValue(forKey: ObjectIdentifier(timer))
  }

  /// Ends a run whose body has ended. The timer then runs again, ends, or waits for its next tick.
  mutating func endRun(of timer: RepeatingItem) {
    guard let timed = takeRun(of: timer) else { return }
    let next = timer.endRun(at: DispatcherInstant(nanoseconds: now))
    goOn(timed, next, due: now)
    // If the body moved time, the next tick may be due already.
    if case .wait(let time) = next, time.nanoseconds <= now { moveDueTimers() }
  }

  /// Ends the timer of a run that was cancelled before its start, or abandoned.
  mutating func endTimer(of run: RunItem) {
    run.timer.letGoOfRun()
    if let timed = takeRun(of: run.timer) { endUnstarted(timed.entry, .cancelled) }
  }

  mutating func cancel(_ timer: RepeatingItem) -> Cancellation {
    guard timer.outcome == nil, let run = timer.run else {
      guard let entry = takeBack(timer) else { return .tooLate }
      endUnstarted(entry, .cancelled)
      return .beforeStart
    }
    timer.requestCancellation()
    // A run that has begun ends the timer when its body ends.
    return cancel(run)
  }

  /// Stops the ticks of timers that have a run, when a shutdown begins. Owed ticks still get their runs.
  func stopTimersWithRun() {
    for timed in timersWithRun.values {
      timer(timed).ticks.stop(at: DispatcherInstant(nanoseconds: now))
    }
  }

  /// Lets timers that are owed runs get none, once a shutdown has begun to cancel.
  func dropOwedRuns() {
    for timed in timersWithRun.values { timer(timed).ticks.dropOwed() }
  }

  /// Sets the time, and moves what came due to where it can run.
  mutating func move(to time: DispatcherInstant) throws(StepError) {
    let current = DispatcherInstant(nanoseconds: now)
    guard time >= current else { throw .timeBackwards(now: current, requested: time) }
    if decisions != nil, itemsMayExpire, time > current {
      decideStarts(.expiry) { $0.item?.isExpired(at: time.nanoseconds) ?? false }
    }
    noteDeadlines(until: time.nanoseconds)
    now = time.nanoseconds
    moveDueTimers()
    if itemsMayExpire { expire() }
  }

  /// Tells the exploration which deadlines of a shutdown have passed: an order may say what comes before them.
  private func noteDeadlines(until time: Int64) {
    guard let decisions, let shutdown, shutdown.phase != .over else { return }
    for deadline in [shutdown.drainUntil, shutdown.cancelUntil]
    where now < deadline && deadline <= time {
      decisions.fired(shutdown.deadlineEntry(dispatcher, shutdownFlag))
    }
  }

  /// Ends every waiting item whose time to live is over.
  private mutating func expire() {
    let waiting = waitingItems()
    let expired = waiting.filter { $0.kind != .notification && $0.isExpired(at: now) }
    for item in expired {
      guard let entry = takeBack(item) else { continue }
      endUnstarted(entry, .expired)
    }
  }

  /// The next time at which something happens, the deadlines of a shutdown included. Nil if there is none.
  var nextDeadlineInstant: DispatcherInstant? { instant(ofFirst: timers.nextDeadline) }
  var nextDeadline: Int64? { nextDeadlineInstant?.nanoseconds }

  /// The next deadline of a shutdown. Nil if there is none.
  var nextShutdownDeadline: DispatcherInstant? { instant(ofFirst: nil) }

  /// The instant of `deadline`, or of the next deadline of a shutdown if that comes first.
  private func instant(ofFirst deadline: Int64?) -> DispatcherInstant? {
    var next = deadline
    if let shutdown, shutdown.phase != .over {
      let end = shutdown.phase == .draining ? shutdown.drainUntil : shutdown.cancelUntil
      if end > now { next = min(next ?? .max, end) }
    }
    guard let next, next != DispatcherInstant.distantFuture.nanoseconds else { return nil }
    return DispatcherInstant(nanoseconds: next)
  }
}

extension WorkItem {
  /// Whether the item has waited for longer than its time to live.
  func isExpired(at time: Int64) -> Bool {
    guard let timeToLive else { return false }
    return time > place.since.advanced(by: timeToLive).nanoseconds
  }
}
