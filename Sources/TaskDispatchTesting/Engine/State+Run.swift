internal import TaskDispatch

extension State {
  // MARK: Taking

  /// Where the foreground's tasks wait.
  enum ForegroundSource: CaseIterable { case due, events, posted }

  /// The next foreground task: due timers first, then events, then what was posted.
  mutating func takeForeground(hidesOuter: Bool = false) -> Body? {
    takeForeground(from: .due, hidesOuter: hidesOuter)
      ?? takeForeground(from: .events, hidesOuter: hidesOuter)
      ?? takeForeground(from: .posted, hidesOuter: hidesOuter)
  }

  mutating func takeForeground(
    from source: ForegroundSource, hidesOuter: Bool = false
  ) -> Body? {
    let time = now
    while true {
      let next: Entry? =
        switch source {
        case .due: due.take(now: { time })
        case .events: events.take(now: { time })
        case .posted: foreground.take(now: { time })
        }
      guard let entry = next else { return nil }
      if source == .posted, entry.countsAgainstLimits { limitedForeground -= 1 }
      guard begins(entry, lane: .foreground, view: nil) else { continue }
      lastLane = .foreground
      return perform(
        entry, queue: foregroundIdentity, label: "foreground", started: nil,
        hidesOuter: hidesOuter)
    }
  }

  var hasForeground: Bool {
    due.hasStartable || events.hasStartable || foreground.hasStartable
  }

  /// Lets the head of the background take a slot. False if none is free or nothing may start.
  mutating func startBackground() -> Bool {
    let time = now
    while let next = pool.start(now: { time }) {
      let view = viewOf(next.view)
      let entry = next.taken.entry
      if entry.countsAgainstLimits { changeLimited(.background, view, by: -1) }
      guard begins(entry, lane: .background, view: view) else {
        pool.finish(next, now: { time })
        handOutGrants()
        continue
      }
      started.append(StartedEntry(entry: entry, started: next, view: view))
      handOutGrants()
      return true
    }
    handOutGrants()
    return false
  }

  /// Takes the next task of a view for a thread that waits in its `sync`.
  mutating func takeToHelp(_ view: RecordingView?) -> Body? {
    let time = now
    while let next = pool.startToHelp(poolView(view), now: { time }) {
      let entry = next.taken.entry
      if entry.countsAgainstLimits { changeLimited(.background, view, by: -1) }
      guard begins(entry, lane: .background, view: view) else {
        pool.finish(next, now: { time })
        continue
      }
      return perform(
        entry, queue: identity(.background, view), label: label(.background, view),
        started: next, hidesOuter: true)
    }
    return nil
  }

  /// The next background body to run: the oldest that has started, else the head.
  mutating func takeBackground(hidesOuter: Bool = false) -> Body? {
    if started.isEmpty, !startBackground() { return nil }
    lastLane = .background
    return takeStarted(at: 0, hidesOuter: hidesOuter)
  }

  mutating func takeStarted(at index: Int, hidesOuter: Bool) -> Body {
    let next = started.remove(at: index)
    return perform(
      next.entry, queue: identity(.background, next.view), label: label(.background, next.view),
      started: next.started, hidesOuter: hidesOuter)
  }

  private func viewOf(_ pool: PoolView<Entry>) -> RecordingView? {
    if pool === self.pool.background { return nil }
    return views.first { $0.pool === pool }
  }

  /// Counts a taken entry as started. False if it must not run after all.
  private mutating func begins(_ entry: Entry, lane: Lane, view: RecordingView?) -> Bool {
    if !waitingForRoom.isEmpty { letInThoseWithRoom() }
    if let item = entry.item {
      item.place.stage = .nowhere
      if let timeToLive = item.timeToLive,
        now > item.place.since.advanced(by: timeToLive).nanoseconds
      {
        endUnstarted(item, .expired, entry.record(lane: lane, queue: label(lane, view)))
        return false
      }
      guard item.begin() else { return false }
    }
    if case .event(let event) = entry.work { serve(event) }
    ledger.waiting -= 1
    ledger.running += 1
    if tells { emit(.started, entry.record(lane: lane, queue: label(lane, view))) }
    return true
  }

  /// Ends an item that never started.
  mutating func endUnstarted(_ item: WorkItem, _ outcome: Outcome, _ record: TaskRecord) {
    ledger.waiting -= 1
    ledger.count(outcome)
    parents[item.place.id.number] = nil
    if tells { emit(.finished(outcome), record) }
    if !flushes.isEmpty { noteEnd(item.place.id.number) }
    endRun(item)
    end(item, outcome)
  }

  /// Gives a started entry a place among the running.
  mutating func perform(
    _ entry: Entry, queue: TaskQueue.Identity, label: String,
    started: PoolOrder<Entry>.Started?, hidesOuter: Bool
  ) -> Body {
    let body = Body(
      entry, queue: queue, label: label, started: started, shutdown: shutdownFlag,
      hidesOuter: hidesOuter)
    running.append(body)
    return body
  }

  /// A body that runs inside its own submission, in nobody's order.
  mutating func perform(inline entry: Entry, lane: Lane, view: RecordingView?) -> Body {
    ledger.waiting -= 1
    ledger.running += 1
    if tells { emit(.started, entry.record(lane: lane, queue: label(lane, view))) }
    return perform(
      entry, queue: identity(lane, view), label: label(lane, view), started: nil,
      hidesOuter: false)
  }

  // MARK: Ending

  /// A body has run to its end.
  mutating func finish(_ body: Body, _ outcome: Outcome) {
    guard let index = running.lastIndex(where: { $0 === body }) else {
      refuse("\(body.record) ended twice")
    }
    running.remove(at: index)
    if let started = body.started {
      let time = now
      pool.finish(started, now: { time })
      handOutGrants()
    }
    if !flushes.isEmpty { noteEnd(body.entry.id) }
    // A shutdown may have abandoned it meanwhile; then it has its outcome.
    if let item = body.entry.item {
      if item.isRunning { end(body, item, outcome) }
    } else {
      ledger.running -= 1
      ledger.count(outcome)
      if tells { emit(.finished(outcome), body.record) }
    }
  }

  private mutating func end(_ body: Body, _ item: WorkItem, _ outcome: Outcome) {
    ledger.running -= 1
    ledger.count(outcome)
    if tells { emit(.finished(outcome), body.record) }
    if case .failed(let error) = outcome {
      thrown.append(ThrownError(record: body.record, item: item, error: error))
    }
    endRun(item)
    end(item, outcome)
  }

  /// Tells those who wait for what a queue had.
  private mutating func noteEnd(_ id: UInt64) {
    for index in flushes.indices { flushes[index].remaining.remove(id) }
    for flush in flushes where flush.remaining.isEmpty { later(flush.wake) }
    flushes.removeAll { $0.remaining.isEmpty }
  }

  /// Tells callers in `sync` whose turn has come.
  mutating func handOutGrants() {
    for granted in pool.takeGrants() {
      guard case .caller(let caller) = granted.taken.entry.work else {
        refuse("only a caller is granted a turn")
      }
      caller.granted = granted
    }
  }

  // MARK: Cancelling

  mutating func cancel(_ item: WorkItem) -> Cancellation {
    if item.kind == .repeating { return cancelRepeating(item) }
    if item.isRunning {
      item.requestCancellation()
      if tells { emit(.cancellationRequested, runningRecord(of: item)) }
      return .requested
    }
    guard item.outcome == nil, takeBack(item) else { return .tooLate }
    endUnstarted(item, .cancelled, record(of: item))
    return .beforeStart
  }

  private func runningRecord(of item: WorkItem) -> TaskRecord {
    if let body = running.first(where: { $0.entry.item === item }) { return body.record }
    if let taken = started.first(where: { $0.entry.item === item }) {
      return taken.entry.record(lane: .background, queue: label(.background, taken.view))
    }
    return record(of: item)
  }

  private mutating func cancelRepeating(_ item: WorkItem) -> Cancellation {
    guard item.outcome == nil, !item.isCancellationRequested else { return .tooLate }
    item.requestCancellation()
    if let ticket = item.place.ticket.take() { _ = timers.remove(ticket) }
    item.place.stage = .nowhere
    var answer = Cancellation.beforeStart
    for run in runsOfRepeating[ObjectIdentifier(item)] ?? [] where cancel(run) == .requested {
      answer = .requested
    }
    let record = record(of: item)
    endUnstarted(item, .cancelled, record)
    return answer
  }

  /// Takes an item out of wherever it waits. False if it waits nowhere here.
  mutating func takeBack(_ item: WorkItem) -> Bool {
    let place = item.place
    item.place.stage = .nowhere
    item.place.ticket = nil
    switch place.stage {
    case .nowhere: return false
    case .timers:
      guard let ticket = place.ticket else { return false }
      return timers.remove(ticket) != nil
    case .due: return due.remove(at: place.position, in: .medium) != nil
    case .held:
      held.removeAll { $0 === item }
      waitingForRoom.removeAll { $0 === item }
      return true
    case .queue:
      let view = view(item.view)
      if item.countsAgainstLimits { changeLimited(item.lane, view, by: -1) }
      defer { letInThoseWithRoom() }
      guard item.lane == .background else {
        return foreground.remove(at: place.position, in: .medium) != nil
      }
      let time = now
      defer { handOutGrants() }
      return pool.remove(
        at: place.position, in: item.site.band, isBarrier: item.isBarrier, from: poolView(view),
        now: { time }) != nil
    }
  }
}
