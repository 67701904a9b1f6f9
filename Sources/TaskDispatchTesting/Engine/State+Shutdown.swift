internal import TaskDispatch

/// How far a shutdown of the fake has come. Its deadlines are in virtual time.
///
/// Touched under the dispatcher's lock.
final class ShutdownProgress {
  enum Phase { case draining, cancelling, over }
  var phase = Phase.draining
  /// Until when accepted work may go on.
  var drainUntil: Int64
  /// Until when running bodies may go on after that.
  var cancelUntil: Int64
  var unfinished: [(id: TaskID, left: ShutdownReport.Unfinished)] = []
  var report: ShutdownReport?
  var waiters: [@Sendable (ShutdownReport) -> Void] = []

  init(drainUntil: Int64, cancelUntil: Int64) {
    self.drainUntil = drainUntil
    self.cancelUntil = cancelUntil
  }
}

extension State {
  mutating func beginShutdown(_ policy: ShutdownPolicy) {
    let drainUntil = DispatcherInstant(nanoseconds: now).advanced(by: policy.drain)
    let cancelUntil = drainUntil.advanced(by: policy.cancel)
    if shutdown != nil {
      // A later call can only shorten.
      shutdown!.drainUntil = min(shutdown!.drainUntil, drainUntil.nanoseconds)
      shutdown!.cancelUntil = min(shutdown!.cancelUntil, cancelUntil.nanoseconds)
      return
    }
    // What has taken its slot runs, and is not cancelled.
    if decisions != nil { decideStarts(.shutdown) { $0.item?.atShutdown == .skip } }
    shutdown = ShutdownProgress(
      drainUntil: drainUntil.nanoseconds, cancelUntil: cancelUntil.nanoseconds)
    cancelTimers()
    refuseThoseWithoutRoom()
    cancelItems { $0.atShutdown == .skip }
  }

  /// Takes the shutdown as far as it can go now. Call it whenever something ended or time moved.
  mutating func advanceShutdown() {
    guard shutdown != nil, shutdown!.phase != .over else { return }
    if shutdown!.phase == .draining {
      if hasWorkThatCanEnd, now < shutdown!.drainUntil { return }
      // Past the deadline everything that has not started is cancelled. Before it, that is only
      // what an outsider could free: nothing else is left.
      if hasWorkThatCanEnd {
        if decisions != nil { decideStarts(.cutOff) { _ in true } }
        shutdown!.phase = .cancelling
        shutdownFlag.raise()
      }
      cancelItems { _ in true }
      cancelPlainBodies(signalsToo: now >= shutdown!.cancelUntil)
    }
    if hasWorkThatCanEnd {
      guard shutdown!.phase == .cancelling, now >= shutdown!.cancelUntil else { return }
      cancelPlainBodies(signalsToo: true)
      abandonStarted()
      turnCallersAway()
      if hasWorkThatCanEnd { return }
    }
    // Those of suspended views.
    turnCallersAway()
    // Who was told of a cancellation just now may still have work to bring.
    guard outbox?.endings.isEmpty != false else { return }
    conclude()
  }

  /// Makes the report, and tells those who await it.
  private mutating func conclude() {
    guard shutdown!.report == nil else { return }
    shutdown!.phase = .over
    // The loop is gone: nobody handles an event any more.
    for registration in registrations { unregister(registration.number) }
    let report = ShutdownReport(
      ledger: ledger,
      unfinished: shutdown!.unfinished.sorted { $0.id < $1.id }.map(\.left))
    shutdown!.report = report
    for waiter in shutdown!.waiters { wakeLater { waiter(report) } }
    shutdown!.waiters = []
  }

  /// Whether a shutdown should cancel what has not started, and has not yet.
  var drainIsOver: Bool {
    guard let shutdown else { return false }
    return shutdown.phase == .draining && now >= shutdown.drainUntil
  }

  /// Whether a call of ``advanceShutdown()`` could take it further.
  var shutdownMayGoOn: Bool {
    guard let shutdown, shutdown.phase != .over else { return false }
    // In the cancel phase only time, or the end of what runs, takes it further.
    return !hasWorkThatCanEnd || drainIsOver
  }

  /// Ends everything that has not run, for a test that is finished. Jobs run on elsewhere.
  mutating func cancelEverything() {
    shutdown =
      shutdown ?? ShutdownProgress(drainUntil: now, cancelUntil: now)
    cancelTimers()
    refuseThoseWithoutRoom()
    cancelItems { _ in true }
    cancelPlainBodies(signalsToo: true)
    abandonStarted()
    turnCallersAway()
    let waiting = takeOut { if case .job = $0.work { true } else { false } }
    // Those that have a slot were before them.
    let jobs = started + waiting
    started = []
    for entry in jobs {
      guard case .job(let job) = entry.work else { continue }
      if entry.share == nil { ledger.waiting -= 1 } else { ledger.running -= 1 }
      ledger.count(.cancelled)
      emit(.finished(.cancelled), entry)
      wakeLater { [job = job.job, executor = job.executor] in executor.runElsewhere(job) }
    }
    for registration in registrations { unregister(registration.number) }
    conclude()
  }

  /// Takes out everything that has not run, for a dispatcher that is going away: a view's queue holds its entries,
  /// and they the view.
  mutating func releaseEverything() -> [Entry] {
    defer { started = [] }
    let between = timersWithRun.values.map { timed in
      (timed.item as? RepeatingItem)?.letGoOfRun()
      return timed.entry
    }
    timersWithRun = [:]
    let waiting = takeOut { _ in true }
    return started + waiting + held + waitingForRoom
      + timers.removeAll().map(\.entry) + between
  }

  // MARK: What is left

  /// Whether something is left that ends by being run: running, started, startable, or a job.
  var hasWorkThatCanEnd: Bool {
    if hasForeground || !started.isEmpty { return true }
    if running.contains(where: { !$0.isAbandoned }) { return true }
    if standing.contains(where: \.hasItsTurn) { return true }
    if !pool.background.queue.ready.isEmpty { return true }
    return views.contains { !$0.pool.queue.isSuspended && !$0.pool.queue.ready.isEmpty }
  }

  /// Every item that waits in a queue or for a group, in the order of submission.
  func waitingItems() -> [WorkItem] {
    if ledger.waiting == 0 { return [] }
    var items = held.compactMap(\.item)
    func collect(_ entry: Entry) {
      if let item = entry.item { items.append(item) }
    }
    due.forEach(collect)
    foreground.forEach(collect)
    pool.background.queue.ready.forEach(collect)
    for view in views { view.pool.queue.ready.forEach(collect) }
    return items.sorted { $0.place.id < $1.place.id }
  }

  // MARK: Ending what is left

  /// Whatever is due has been moved to its queue already: what is left is not due.
  private mutating func cancelTimers() {
    for timed in timers.removeAll() {
      timed.item.place.stage = .nowhere
      endUnstarted(timed.entry, .cancelled)
    }
    stopTimersWithRun()
  }

  /// Callers that wait for room are refused, although they had been let wait.
  private mutating func refuseThoseWithoutRoom() {
    for entry in waitingForRoom {
      entry.item?.place.stage = .nowhere
      ledger.accepted -= 1
      ledger.waiting -= 1
      if !flushes.isEmpty { noteEnd(entry.id) }
      countRefusal(.shutDown, entry)
      if let item = entry.item { end(item, .refused(.shutDown)) }
    }
    waitingForRoom = []
  }

  /// Cancels every item that waits and `matches`.
  private mutating func cancelItems(_ matches: (WorkItem) -> Bool) {
    for item in waitingItems() where matches(item) {
      guard let entry = takeBack(item) else { continue }
      noteUnfinished(entry.record, .neverStarted)
      endUnstarted(entry, .cancelled)
    }
  }

  /// Cancels every plain body and every event that waits. A job cannot be refused, and a caller
  /// stands on our own thread.
  ///
  /// - Parameter signalsToo: Whether that goes for signals: see ``tells(_:)``.
  private mutating func cancelPlainBodies(signalsToo: Bool) {
    let plain = takeOut { entry in
      switch entry.work {
      case .plain: true
      case .event(let event): signalsToo || !event.isOfSignal
      case .item, .job, .caller, .registration, .ran: false
      }
    }
    for entry in plain {
      letGo(of: entry)
      noteUnfinished(entry.record, .neverStarted)
      endUnstarted(entry, .cancelled)
    }
  }

  /// Takes the waiting entries that are wanted out of their queues.
  private mutating func takeOut(_ isWanted: (Entry) -> Bool) -> [Entry] {
    // So it nearly always is when a test ends.
    if ledger.waiting == 0 { return [] }
    var taken: [Entry] = []
    var found: [(position: Int, entry: Entry, isBarrier: Bool)] = []
    func collect(_ entry: Entry, _ position: Int, _ isBarrier: Bool) {
      if isWanted(entry) { found.append((position, entry, isBarrier)) }
    }
    events.forEachPosition(collect)
    for (position, entry, _) in found where events.remove(at: position, in: .medium) != nil {
      taken.append(entry)
    }
    found = []
    foreground.forEachPosition(collect)
    for (position, entry, _) in found where foreground.remove(at: position, in: .medium) != nil {
      taken.append(entry)
    }
    let time = now
    for view in [pool.background] + views.map(\.pool) {
      found = []
      view.queue.ready.forEachPosition(collect)
      for (position, entry, isBarrier) in found {
        let removed = pool.remove(
          at: position, in: entry.site.band, isBarrier: isBarrier, from: view, now: { time })
        if removed != nil { taken.append(entry) }
      }
    }
    handOutGrants()
    for entry in taken where isLimited && entry.countsAgainstLimits {
      changeLimited(entry, by: -1)
    }
    return taken
  }

  /// Gives up what has started and not ended. Jobs run on: each is somebody's Task.
  private mutating func abandonStarted() {
    for body in running where !body.isAbandoned {
      if case .job = body.work { continue }
      abandon(body)
    }
    let given = started
    started = []
    for left in given {
      if case .job = left.work { started.append(left) } else { abandon(left) }
    }
  }

  private mutating func abandon(_ entry: Entry) {
    entry.isAbandoned = true
    noteUnfinished(entry.record, .abandoned)
    ledger.running -= 1
    ledger.count(.abandoned)
    emit(.finished(.abandoned), entry)
    if !flushes.isEmpty { noteEnd(entry.id) }
    if let item = entry.item {
      if let run = item as? RunItem { endTimer(of: run) }
      end(item, .abandoned)
    }
    // One that has its slot, and was never stepped, no thread has.
    if !running.contains(where: { $0 === entry }) {
      letGo(of: entry)
      if let item = entry.item { later { item.releaseBody() } }
    }
    giveBackShare(of: entry)
  }

  /// Refuses the callers that still wait in `sync`. Each notices when what runs on top of it has ended.
  private mutating func turnCallersAway() {
    let callers = takeOut { if case .caller = $0.work { true } else { false } }
    for entry in callers {
      guard case .caller(let caller) = entry.work else { continue }
      caller.isTurnedAway = true
      caller.entry = nil
      endUnstarted(entry, .cancelled)
    }
  }

  private mutating func noteUnfinished(
    _ record: TaskRecord, _ state: ShutdownReport.Unfinished.State
  ) {
    let left = ShutdownReport.Unfinished(
      label: record.label, queue: record.queue, site: record.site,
      age: record.enqueuedAt.duration(to: DispatcherInstant(nanoseconds: now)),
      thread: state == .abandoned ? "the thread of the test" : nil, state: state)
    shutdown!.unfinished.append((record.id, left))
  }
}
