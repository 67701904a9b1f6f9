internal import TaskDispatch

/// How far a shutdown of the fake has come. Its deadlines are in virtual time.
struct ShutdownProgress {
  enum Phase { case draining, cancelling, over }
  var phase = Phase.draining
  let began: Int64
  /// Until when accepted work may go on.
  var drainUntil: Int64
  /// Until when running bodies may go on after that.
  var cancelUntil: Int64
  var unfinished: [(id: TaskID, left: ShutdownReport.Unfinished)] = []
  var report: ShutdownReport?
  var waiters: [@Sendable (ShutdownReport) -> Void] = []
}

extension State {
  mutating func beginShutdown(_ policy: ShutdownPolicy) {
    let start = DispatcherInstant(nanoseconds: now)
    let drainUntil = start.advanced(by: policy.drain)
    let cancelUntil = drainUntil.advanced(by: policy.cancel)
    if shutdown != nil {
      // A later call can only shorten.
      shutdown!.drainUntil = min(shutdown!.drainUntil, drainUntil.nanoseconds)
      shutdown!.cancelUntil = min(shutdown!.cancelUntil, cancelUntil.nanoseconds)
      return
    }
    shutdown = ShutdownProgress(
      began: now, drainUntil: drainUntil.nanoseconds, cancelUntil: cancelUntil.nanoseconds)
    // Whatever is due has been moved to its queue already: what is left is not due.
    cancelTimers()
    for item in waitingForRoom {
      item.place.stage = .nowhere
      let record = record(of: item)
      ledger.waiting -= 1
      ledger.accepted -= 1
      parents[item.place.id.number] = nil
      countRefusal(.shutDown, record)
      end(item, .refused(.shutDown))
    }
    waitingForRoom = []
    // Repeats between two runs are over; those that run end when they would be armed again.
    for item in Set(repeatingOfRun.values.map(Reference.init)).map(\.item)
      .sorted(by: { $0.place.id < $1.place.id }) where item.outcome == nil
    {
      item.requestCancellation()
      endUnstarted(item, .cancelled, record(of: item))
    }
    cancelItems { $0.atShutdown == .skip }
  }

  private mutating func cancelTimers() {
    for item in timers.removeAll() {
      item.place.stage = .nowhere
      item.place.ticket = nil
      endUnstarted(item, .cancelled, record(of: item))
    }
  }

  /// Ends everything that has not run, for a test that is finished. Jobs run on elsewhere.
  mutating func cancelEverything() {
    cancelTimers()
    cancelItems { _ in true }
    cancelPlainBodies()
    abandonStarted()
    var jobs = takeOut { if case .job = $0.work { true } else { false } }.map(\.entry)
    jobs += started.map(\.entry)
    started = []
    for entry in jobs {
      guard case .job(let job, _) = entry.work else { continue }
      later { globalConcurrentExecutor.enqueue(job) }
    }
  }

  /// Takes the shutdown as far as it can go now. Call it whenever something ended or time moved.
  mutating func advanceShutdown() {
    guard shutdown != nil, shutdown!.phase != .over, running.isEmpty else { return }
    if shutdown!.phase == .draining {
      if hasWorkThatCanEnd {
        guard now >= shutdown!.drainUntil else { return }
      } else {
        // Only an outsider could free what is left, and it does not hold the drain.
        cancelItems { _ in true }
        cancelPlainBodies()
        // Being told of a cancellation may have put more work into a queue.
        if hasWorkThatCanEnd { return }
      }
      if hasWorkThatCanEnd {
        shutdown!.phase = .cancelling
        shutdownFlag.raise()
        cancelItems { _ in true }
        cancelPlainBodies()
      }
    }
    if hasWorkThatCanEnd {
      guard now >= shutdown!.cancelUntil else { return }
      abandonStarted()
      if hasWorkThatCanEnd { return }
    }
    shutdown!.phase = .over
    let report = ShutdownReport(
      ledger: ledger,
      unfinished: shutdown!.unfinished.sorted { $0.id < $1.id }.map(\.left))
    shutdown!.report = report
    for waiter in shutdown!.waiters { later { waiter(report) } }
    shutdown!.waiters = []
  }

  /// Whether something is left that ends by being run: started, or startable, or a job.
  private var hasWorkThatCanEnd: Bool {
    var found = !started.isEmpty || hasForeground
    guard !found else { return true }
    forEachWaitingView { view in
      if !view.queue.isSuspended, !view.queue.ready.isEmpty { found = true }
    }
    return found
  }

  private func forEachWaitingView(_ body: (PoolView<Entry>) -> Void) {
    body(pool.background)
    for view in views { body(view.pool) }
  }

  /// Cancels every item that waits and `matches`.
  private mutating func cancelItems(_ matches: (WorkItem) -> Bool) {
    for item in waitingItems() where matches(item) {
      guard takeBack(item) else { continue }
      let record = record(of: item)
      noteUnfinished(record, .neverStarted)
      endUnstarted(item, .cancelled, record)
    }
  }

  /// Cancels every plain body and every event that waits.
  private mutating func cancelPlainBodies() {
    for (entry, lane, view) in takeOut({ State.isDroppable($0) }) {
      let record = entry.record(lane: lane, queue: label(lane, view))
      noteUnfinished(record, .neverStarted)
      ledger.waiting -= 1
      ledger.count(.cancelled)
      if tells { emit(.finished(.cancelled), record) }
    }
  }

  /// Takes the waiting entries that are wanted out of their queues.
  private mutating func takeOut(
    _ isWanted: (Entry) -> Bool
  ) -> [(entry: Entry, lane: Lane, view: RecordingView?)] {
    var taken: [(entry: Entry, lane: Lane, view: RecordingView?)] = []
    var positions: [(position: Int, entry: Entry, isBarrier: Bool)] = []
    func collect(_ entry: borrowing Entry, _ position: Int, _ isBarrier: Bool) {
      let entry = copy entry
      if isWanted(entry) { positions.append((position, entry, isBarrier)) }
    }
    events.forEachPosition(collect)
    for (position, entry, _) in positions where events.remove(at: position, in: .medium) != nil {
      taken.append((entry, .foreground, nil))
    }
    positions = []
    foreground.forEachPosition(collect)
    for (position, entry, _) in positions
    where foreground.remove(at: position, in: .medium) != nil {
      taken.append((entry, .foreground, nil))
    }
    let time = now
    for view in [nil] + views.map(Optional.some) {
      positions = []
      poolView(view).queue.ready.forEachPosition(collect)
      for (position, entry, isBarrier) in positions {
        let removed = pool.remove(
          at: position, in: entry.site.band, isBarrier: isBarrier, from: poolView(view),
          now: { time })
        if removed != nil { taken.append((entry, .background, view)) }
      }
    }
    handOutGrants()
    for (entry, lane, view) in taken where entry.countsAgainstLimits {
      changeLimited(lane, view, by: -1)
    }
    return taken
  }

  /// A job cannot be refused, and a caller stands on our own thread.
  private static func isDroppable(_ entry: Entry) -> Bool {
    switch entry.work {
    case .plain, .event: true
    case .item, .job, .caller: false
    }
  }

  /// Every item that waits in a queue or for a group, in the order of submission.
  private func waitingItems() -> [WorkItem] {
    var items = held
    func collect(_ entry: borrowing Entry) {
      if case .item(let item) = entry.work { items.append(item) }
    }
    due.forEach(collect)
    foreground.forEach(collect)
    forEachWaitingView { $0.queue.ready.forEach(collect) }
    return items.sorted { $0.place.id < $1.place.id }
  }

  private mutating func abandonStarted() {
    for left in started {
      let record = left.entry.record(lane: .background, queue: label(.background, left.view))
      // A job runs on: it is somebody's Task, and cannot be dropped.
      if case .job = left.entry.work { continue }
      noteUnfinished(record, .abandoned)
      ledger.running -= 1
      ledger.count(.abandoned)
      if tells { emit(.finished(.abandoned), record) }
      if let item = left.entry.item { end(item, .abandoned) }
      let time = now
      pool.finish(left.started, now: { time })
    }
    started.removeAll { if case .job = $0.entry.work { false } else { true } }
    handOutGrants()
  }

  private mutating func noteUnfinished(
    _ record: TaskRecord, _ state: ShutdownReport.Unfinished.State
  ) {
    let left = ShutdownReport.Unfinished(
      label: record.label, queue: record.queue, site: record.site,
      age: record.enqueuedAt.duration(to: DispatcherInstant(nanoseconds: now)),
      thread: state == .abandoned ? "a worker of the fake" : nil, state: state)
    shutdown!.unfinished.append((record.id, left))
  }
}

private struct Reference: Hashable {
  let item: WorkItem
  static func == (lhs: Reference, rhs: Reference) -> Bool { lhs.item === rhs.item }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(item)) }
}
