internal import TaskDispatch

extension State {
  mutating func beginShutdown(_ policy: ShutdownPolicy) {
    let instant = DispatcherInstant(nanoseconds: now)
    if shutdown != nil {
      shutdown!.shorten(policy, at: instant)
      return
    }
    // A task that has taken its slot runs, and is not cancelled.
    if decisions != nil { decideStarts(.shutdown) { $0.item?.atShutdown == .skip } }
    shutdown = ShutdownProgress(policy, at: instant)
    cancelTimers()
    refuseThoseWithoutRoom()
    cancelItems { $0.atShutdown == .skip }
  }

  /// Takes the shutdown as far as it can go now. To be called whenever a task has ended or time has moved.
  ///
  /// - Parameter isAskedFor: Whether code that runs in a step has just begun or shortened the shutdown. On threads its
  ///   thread cancels what waits and gives up what runs, except the tasks that it is in, and makes no report.
  mutating func advanceShutdown(isAskedFor: Bool = false) {
    guard shutdown != nil, shutdown!.phase != .over else { return }
    if shutdown!.phase == .draining {
      if hasWorkThatCanEnd, !shutdown!.drainIsOver(at: now) { return }
      // Past the drain deadline everything that has not started is cancelled. Before that deadline, nothing is left
      // here but what only outside code could free, by `resume()` or `leave()`: that is cancelled as well.
      if hasWorkThatCanEnd {
        if decisions != nil { decideStarts(.cutOff) { _ in true } }
        shutdown!.beginCancelling()
        dropOwedRuns()
        shutdownFlag.raise()
      }
      cancelItems { _ in true }
      cancelPlainBodies(signalsToo: shutdown!.cancelIsOver(at: now))
    }
    if hasWorkThatCanEnd {
      guard shutdown!.phase == .cancelling, shutdown!.cancelIsOver(at: now) else { return }
      hasGivenUp = !isAskedFor
      cancelPlainBodies(signalsToo: true)
      abandonStarted { !isAskedFor || !$0.isOfThisThread }
      rejectCallers()
      rejectAdmitted()
      if hasWorkThatCanEnd { return }
    }
    // Those of suspended views.
    rejectCallers()
    // The callbacks of tasks that were cancelled just now have not run yet. They may submit more work.
    guard callbacks == nil, !isAskedFor else { return }
    conclude()
  }

  /// Makes the report, and resumes the Tasks that await it.
  private mutating func conclude() {
    guard shutdown!.report == nil else { return }
    shutdown!.end()
    // The loop is gone: no handler runs any more.
    for registration in registrations { unregister(registration.number) }
    let report = shutdown!.makeReport(ledger, shutdown!.isUnclean ? snapshot() : nil)
    for waiter in reportWaiters { wakeLater { waiter(report) } }
    reportWaiters = []
  }

  /// Whether the drain deadline has passed, and the cancellation that it demands has not begun.
  var drainIsOver: Bool {
    guard let shutdown else { return false }
    return shutdown.phase == .draining && shutdown.drainIsOver(at: now)
  }

  /// Whether a call of ``advanceShutdown()`` could take the shutdown further.
  var shutdownMayGoOn: Bool {
    guard let shutdown, shutdown.phase != .over else { return false }
    // In the cancel phase only its deadline, or the end of what runs, takes it further.
    let isToGiveUp = shutdown.phase == .cancelling && shutdown.cancelIsOver(at: now) && !hasGivenUp
    return !hasWorkThatCanEnd || drainIsOver || isToGiveUp
  }

  /// Ends everything that has not ended, when the test is finished. Jobs of Swift Tasks run elsewhere.
  mutating func cancelEverything() {
    if shutdown == nil {
      shutdown = ShutdownProgress(
        ShutdownPolicy(drain: .zero, cancel: .zero), at: DispatcherInstant(nanoseconds: now))
    }
    cancelTimers()
    refuseThoseWithoutRoom()
    cancelItems { _ in true }
    cancelPlainBodies(signalsToo: true)
    abandonStarted()
    rejectCallers()
    rejectAdmitted()
    let waiting = takeOut { if case .job = $0.work { true } else { false } }
    // Jobs that have a slot come first: they were started before.
    let jobs = started + waiting
    started = []
    for entry in jobs {
      guard case .job(let job) = entry.work else { continue }
      if entry.share == nil { ledger.waiting -= 1 } else { ledger.running -= 1 }
      countEnd(.cancelled, of: entry)
      emit(.finished(.cancelled), entry)
      if !flushes.isEmpty { noteEnd(entry.id) }
      wakeLater { [job = job.job, executor = job.executor] in executor.runElsewhere(job) }
    }
    for registration in registrations { unregister(registration.number) }
    conclude()
  }

  /// Takes out everything that has not run, when the dispatcher goes away. This breaks a cycle: a view's queue retains
  /// its entries, and they retain the view.
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

  /// Whether something is left that ends by running: a running, started or startable task, or a job.
  var hasWorkThatCanEnd: Bool {
    if hasForeground || !started.isEmpty { return true }
    if running.contains(where: { !$0.isAbandoned }) { return true }
    if waitingCalls.contains(where: \.isAdmitted) { return true }
    if !pool.background.queue.ready.isEmpty { return true }
    return views.contains { !$0.pool.queue.isSuspended && !$0.pool.queue.ready.isEmpty }
  }

  /// Every item that waits in a queue, for a group or for room, in the order of submission.
  func waitingItems() -> [WorkItem] {
    if ledger.waiting == 0 { return [] }
    var items = held.compactMap(\.item) + waitingForRoom.compactMap(\.item)
    func collect(_ entry: Entry) {
      if let item = entry.item { items.append(item) }
    }
    foreground.due.forEach(collect)
    foreground.posted.forEach(collect)
    pool.background.queue.ready.forEach(collect)
    for view in views { view.pool.queue.ready.forEach(collect) }
    return items.sorted { $0.place.id < $1.place.id }
  }

  // MARK: Ending what is left

  /// Cancels the timers that are not due. Those that are due have been moved to their queues already.
  private mutating func cancelTimers() {
    for timed in timers.removeAll() {
      timed.item.stage = .nowhere
      endUnstarted(timed.entry, .cancelled)
    }
    stopTimersWithRun()
  }

  /// Refuses the items that wait for room, and takes back that they were counted as accepted.
  private mutating func refuseThoseWithoutRoom() {
    for entry in waitingForRoom {
      entry.item?.stage = .nowhere
      ledger.accepted -= 1
      ledger.waiting -= 1
      if !flushes.isEmpty { noteEnd(entry.id) }
      countRefusal(.shutDown, entry)
      if let item = entry.item { end(item, .refused(.shutDown)) }
    }
    waitingForRoom = []
  }

  /// Cancels every waiting item that `matches`. Each may let in one that waits for room: the list has both.
  private mutating func cancelItems(_ matches: (WorkItem) -> Bool) {
    for item in waitingItems() where matches(item) {
      guard let entry = takeBack(item) else { continue }
      noteUnfinished(entry.record, .neverStarted)
      endUnstarted(entry, .cancelled)
    }
  }

  /// Cancels every plain body and every event that waits. A job of a Swift Task cannot be refused. Callers of `sync`
  /// are rejected separately, since their threads are blocked.
  ///
  /// - Parameter signalsToo: Whether calls for signals are cancelled as well: see ``tells(_:)``.
  private mutating func cancelPlainBodies(signalsToo: Bool) {
    let plain = takeOut { entry in
      switch entry.work {
      case .plain, .body: true
      case .event(let event): signalsToo || !event.isOfSignal
      case .item, .job, .caller, .registration: false
      }
    }
    for entry in plain {
      letGo(of: entry)
      noteUnfinished(entry.record, .neverStarted)
      endUnstarted(entry, .cancelled)
    }
  }

  /// Takes the entries that are wanted out of the queues in which they wait.
  private mutating func takeOut(_ isWanted: (Entry) -> Bool) -> [Entry] {
    // The usual case when a test ends.
    if ledger.waiting == 0 { return [] }
    var taken: [Entry] = []
    var found: [(position: Int, entry: Entry, isBarrier: Bool)] = []
    func collect(_ entry: Entry, _ position: Int, _ isBarrier: Bool) {
      if isWanted(entry) { found.append((position, entry, isBarrier)) }
    }
    foreground.due.forEachPosition(collect)
    for (position, entry, _) in found
    where foreground.due.remove(at: position, in: .medium) != nil {
      taken.append(entry)
    }
    found = []
    foreground.posted.forEachPosition(collect)
    for (position, entry, _) in found
    where foreground.posted.remove(at: position, in: .medium) != nil {
      taken.append(entry)
    }
    let time = now
    for view in [pool.background] + views.map(\.pool) {
      found = []
      view.queue.ready.forEachPosition(collect)
      for (position, entry, isBarrier) in found {
        let removed = pool.remove(
          at: position, in: entry.band, isBarrier: isBarrier, from: view, now: { time })
        if removed != nil { taken.append(entry) }
      }
    }
    admitCallers()
    for entry in taken { noteDeparture(of: entry) }
    return taken
  }

  /// Abandons the tasks that have started and not ended, if they are wanted. Jobs are left alone: their Swift Tasks go
  /// on.
  private mutating func abandonStarted(_ isWanted: (Entry) -> Bool = { _ in true }) {
    for body in running where !body.isAbandoned && isWanted(body) {
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
    countEnd(.abandoned, of: entry)
    emit(.finished(.abandoned), entry)
    if !flushes.isEmpty { noteEnd(entry.id) }
    if let item = entry.item {
      if let run = item as? RunItem { endTimer(of: run) }
      end(item, .abandoned)
    }
    // A body that runs keeps its slot until it ends, as its thread does.
    if running.contains(where: { $0 === entry }) { return }
    // A task that has its slot but was never stepped is on no thread, so its body is released here.
    letGo(of: entry)
    if let item = entry.item { later { item.releaseUnrun() } }
    giveBackShare(of: entry)
  }

  /// Rejects the callers that still wait in `sync`. Each call notices it when the bodies on top of it have ended.
  private mutating func rejectCallers() {
    for entry in takeOut({ if case .caller = $0.work { true } else { false } }) { reject(entry) }
  }

  /// Rejects the callers of `sync` that were admitted, and whose bodies have not begun.
  private mutating func rejectAdmitted() {
    for call in waitingCalls {
      guard case .admission(let caller) = call.reason, let admission = caller.admission.take()
      else { continue }
      let time = now
      pool.finish(admission.share, now: { time })
      reject(admission.taken.entry)
    }
  }

  private mutating func reject(_ entry: Entry) {
    guard case .caller(let caller) = entry.work else { return }
    caller.isRejected = true
    caller.entry = nil
    endUnstarted(entry, .cancelled)
  }

  private mutating func noteUnfinished(
    _ record: TaskRecord, _ state: ShutdownReport.Unfinished.State
  ) {
    let left = ShutdownReport.Unfinished(
      label: record.label, queue: record.queue, site: record.site,
      age: record.enqueuedAt.duration(to: DispatcherInstant(nanoseconds: now)),
      thread: state == .abandoned ? "the thread of the test" : nil, state: state)
    shutdown!.note(left, number: record.id.number)
  }
}
