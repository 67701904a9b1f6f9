internal import TaskDispatch

extension State {
  // MARK: Taking

  /// A kind of foreground task. A choice between kinds is one between orders that threads can bring about.
  enum ForegroundKind { case timer, event, posted }

  /// The next foreground task: see ``ForegroundOrder``.
  mutating func takeForeground(hidesOuter: Bool = false) -> Entry? {
    let time = now
    guard let entry = foreground.take(now: { time }) else { return nil }
    begin(entry)
    return perform(entry, hidesOuter: hidesOuter)
  }

  /// The first foreground task of a kind. Whether a timer or an event comes first depends on when the loop's thread
  /// looks. So a test or an exploration may take either.
  mutating func takeForeground(_ kind: ForegroundKind, hidesOuter: Bool = false) -> Entry? {
    let time = now
    let next: Entry? =
      switch kind {
      case .posted: foreground.takePosted(now: { time })
      case .timer, .event: firstDue(kind).flatMap { foreground.takeDue(at: $0.position) }
      }
    guard let entry = next else { return nil }
    begin(entry)
    return perform(entry, hidesOuter: hidesOuter)
  }

  /// Calls `body` with the first task of each kind that waits, in the order in which the fake prefers them.
  func forEachKind(_ body: (ForegroundKind, Entry) -> Void) {
    let posted = foreground.posted.withNext(now: clock) { copy $0 }
    let postedIsFirst = foreground.postedIsNext
    if postedIsFirst, let posted { body(.posted, posted) }
    if foreground.due.hasStartable {
      let (timer, event) = (firstDue(.timer), firstDue(.event))
      let eventIsFirst = (event?.position ?? .max) < (timer?.position ?? .max)
      if eventIsFirst, let event { body(.event, event.entry) }
      if let timer { body(.timer, timer.entry) }
      if !eventIsFirst, let event { body(.event, event.entry) }
    }
    if !postedIsFirst, let posted { body(.posted, posted) }
  }

  /// The first due task of a kind, and its position. O(due tasks of the other kind before it).
  func firstDue(_ kind: ForegroundKind) -> (entry: Entry, position: Int)? {
    guard foreground.due.hasStartable,
      kind == .timer || registrations.contains(where: { $0.pending != nil })
    else { return nil }
    var first: Entry?
    foreground.due.forEachWhile { entry in
      if entry.isEvent == (kind == .event) { first = copy entry }
      return first == nil
    }
    return first.map { ($0, $0.duePosition) }
  }

  var hasForeground: Bool { !foreground.isEmpty }

  /// Starts the head of the background: it takes a slot. Returns false if no slot is free or no task may start.
  mutating func startBackground() -> Bool {
    guard let entry = beginBackground() else { return false }
    started.append(entry)
    return true
  }

  /// Takes the head of the background, and a slot for it.
  private mutating func beginBackground() -> Entry? {
    let time = now
    defer { admitCallers() }
    guard let next = pool.start(now: { time }) else { return nil }
    begin(next.taken.entry)
    next.taken.entry.share = .init(next.taken)
    return next.taken.entry
  }

  /// Takes the next task of a view, for a worker that is blocked in a `sync` on that view.
  mutating func takeToHelp(_ view: RecordingView?) -> Entry? {
    let time = now
    defer { admitCallers() }
    guard let next = pool.startToHelp(poolView(view), now: { time }) else { return nil }
    begin(next.taken.entry)
    next.taken.entry.share = .init(next.taken)
    next.taken.entry.isHelped = true
    return perform(next.taken.entry, hidesOuter: true)
  }

  /// The next background body to run: the oldest task that has started, or else the head.
  mutating func takeBackground(hidesOuter: Bool = false) -> Entry? {
    if !started.isEmpty { return takeStarted(at: 0, hidesOuter: hidesOuter) }
    guard let entry = beginBackground() else { return nil }
    return perform(entry, hidesOuter: hidesOuter)
  }

  mutating func takeStarted(at index: Int, hidesOuter: Bool) -> Entry {
    perform(started.remove(at: index), hidesOuter: hidesOuter)
  }

  /// Counts a taken entry as started.
  private mutating func begin(_ entry: Entry) {
    noteDeparture(of: entry)
    switch entry.work {
    case .item(let item):
      item.stage = .nowhere
      item.beginTaken()
      if item.kind == .timer {
        (item as? RunItem)?.beginBody(at: DispatcherInstant(nanoseconds: now))
      }
    case .event(let event): serve(event)
    case .caller(let caller): caller.waiter?.wait = Wait(for: entry.described)
    case .plain, .job, .registration, .body: break
    }
    ledger.waiting -= 1
    ledger.running += 1
    emit(.started, entry)
  }

  /// Adds a started entry to the running bodies.
  mutating func perform(_ entry: Entry, hidesOuter: Bool) -> Entry {
    entry.willHideOuter = hidesOuter
    entry.begin()
    running.append(entry)
    decisions?.ran(entry)
    return entry
  }

  /// Starts a body that runs inside its own submission and follows no queue's order.
  mutating func perform(inline entry: Entry) -> Entry {
    ledger.waiting -= 1
    ledger.running += 1
    emit(.started, entry)
    return perform(entry, hidesOuter: false)
  }

  // MARK: Ending

  /// Counts an end, or a refusal, for the dispatcher and for the queue.
  mutating func countEnd(_ outcome: Outcome, of entry: Entry) {
    ledger.count(outcome)
    if let view = entry.view {
      view.counts.count(outcome)
    } else if entry.lane == .foreground {
      foregroundCounts.count(outcome)
    } else {
      backgroundCounts.count(outcome)
    }
  }

  /// Ends a body that has run.
  mutating func finish(_ body: Entry, _ outcome: Outcome) {
    if running.last === body {
      running.removeLast()
    } else if let index = running.lastIndex(where: { $0 === body }) {
      running.remove(at: index)
    }
    giveBackShare(of: body)
    guard !body.isAbandoned else { return }
    ledger.running -= 1
    countEnd(outcome, of: body)
    emit(.finished(outcome), body)
    if !flushes.isEmpty { noteEnd(body.id) }
    if let item = body.item { end(body, item, outcome) }
  }

  /// Gives the slot of an entry back to the background.
  mutating func giveBackShare(of entry: Entry) {
    guard let share = entry.share else { return }
    entry.share = nil
    let time = now
    pool.finish(
      share.runner, isBarrier: share.isBarrier, of: poolView(entry.view), now: { time })
    admitCallers()
  }

  private mutating func end(_ body: Entry, _ item: WorkItem, _ outcome: Outcome) {
    if case .failed(let error) = outcome, configuration.thrownErrors != .ignore,
      !item.failureIsSeen
    {
      thrown.append(ThrownError(record: body.record, item: item, error: error))
    }
    if !timersWithRun.isEmpty, let run = item as? RunItem { endRun(of: run.timer) }
    end(item, outcome)
  }

  /// Ends an entry that never started, and that has been taken out of its queue.
  mutating func endUnstarted(_ entry: Entry, _ outcome: Outcome) {
    decisions?.ended(entry)
    ledger.waiting -= 1
    countEnd(outcome, of: entry)
    emit(.finished(outcome), entry)
    if !flushes.isEmpty { noteEnd(entry.id) }
    guard let item = entry.item else { return }
    if !timersWithRun.isEmpty, let run = item as? RunItem { endTimer(of: run) }
    end(item, outcome)
  }

  /// Takes an ended task off the pending flushes. Wakes each `flush` whose tasks have all ended.
  mutating func noteEnd(_ id: UInt64) {
    for index in flushes.indices { flushes[index].remaining.remove(id) }
    for flush in flushes where flush.remaining.isEmpty { wakeLater(flush.wake) }
    flushes.removeAll { $0.remaining.isEmpty }
  }

  /// Admits the callers of `sync` to which the pool has given a slot.
  @inline(__always) mutating func admitCallers() {
    if pool.hasAdmitted { handOut() }
  }

  @inline(never) private mutating func handOut() {
    for next in pool.takeAdmitted() {
      guard case .caller(let caller) = next.taken.entry.work else {
        refuse("only a caller of sync is admitted")
      }
      caller.admission = next
    }
  }

  // MARK: Cancelling

  mutating func cancel(_ item: WorkItem) -> Cancellation {
    item.requireNotElsewhere(than: name)
    if let timer = item as? RepeatingItem { return cancel(timer) }
    if decisions != nil { decideWhetherStarted(item) }
    if item.isRunning {
      // Else other code has begun it.
      guard let entry = startedEntry(of: item) else { return .tooLate }
      if !item.isCancellationRequested { emit(.cancellationRequested, entry) }
      item.requestCancellation()
      return .requested
    }
    guard let entry = takeBack(item) else { return .tooLate }
    endUnstarted(entry, .cancelled)
    return .beforeStart
  }

  private func startedEntry(of item: WorkItem) -> Entry? {
    running.first { $0.item === item } ?? started.first { $0.item === item }
  }

  /// Takes an item out of the queue or list where it waits. Nil if it waits nowhere in this dispatcher.
  mutating func takeBack(_ item: WorkItem) -> Entry? {
    let stage = item.stage
    // Another thread may be submitting it, to another dispatcher.
    guard stage != .nowhere else { return nil }
    let place = item.place
    item.stage = .nowhere
    switch stage {
    // The fake tells an item its place when it accepts it, so no item of the fake is in the stage `.posted`.
    case .nowhere, .posted: return nil
    case .timers: return timers.remove(place.ticket)?.entry
    case .due: return foreground.due.remove(at: place.position, in: .medium)
    case .held:
      if let index = held.firstIndex(where: { $0.item === item }) { return held.remove(at: index) }
      guard let index = waitingForRoom.firstIndex(where: { $0.item === item }) else { return nil }
      return waitingForRoom.remove(at: index)
    case .queue:
      let removed: Entry?
      if item.lane == .foreground {
        removed = foreground.posted.remove(at: place.position, in: .medium)
      } else {
        let time = now
        removed = pool.remove(
          at: place.position, in: item.band, isBarrier: item.isBarrier,
          from: poolView(view(item.view)), now: { time })
        admitCallers()
      }
      if let removed { noteDeparture(of: removed) }
      return removed
    }
  }
}
