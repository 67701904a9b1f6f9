internal import TaskDispatch

extension State {
  enum NextForSync {
    case granted(Body)
    case perform(Body)
    case stuck(WaitRefusal)
  }

  // MARK: sync

  /// Puts a caller into the order of `queue`. Returns its own body if that runs at once (inline).
  mutating func admitCaller(
    _ caller: SyncCaller, on queue: TaskQueue, site: CallSite, frame: TaskFrame?
  ) throws(WaitRefusal) -> Body? {
    let view = view(queue.view)
    let index = runningIndex(frame)
    if let refusal = refusal(isFromOwnWork: index != nil, at: site) { throw .refused(refusal) }
    if let refusal = refusalToSync(on: queue, frame) { throw refusal }
    let entry = Entry(
      work: .caller(caller), id: newID(), site: site, enqueuedAt: now, parent: parent(frame))
    countAccepted()
    let record = entry.record(lane: queue.lane, queue: queue.label)
    if tells { emit(.enqueued, record) }
    if configuration.policy == .inline, !poolView(view).queue.isSuspended {
      return perform(inline: entry, lane: queue.lane, view: view)
    }
    caller.id = entry.id
    setWaitsFor("its turn on \(queue.label)", queue.identity, frame)
    caller.position = enqueue(
      entry, lane: queue.lane, view: view,
      isBarrier: queue.isBarrier && queue.lane == .background)
    return nil
  }

  /// What happens next for a caller that waits for its turn.
  mutating func nextForSync(
    _ caller: SyncCaller, _ queue: TaskQueue, _ frame: TaskFrame?
  ) -> NextForSync {
    if queue.lane == .foreground { return nextForForegroundSync(caller, queue, frame) }
    let view = view(queue.view)
    if let granted = caller.granted {
      return .granted(enter(granted, queue, frame))
    }
    // A worker that waits runs what stands before it in this view, without another worker.
    if isOnWorker(frame), let next = takeToHelp(view) { return .perform(next) }
    if let index = started.firstIndex(where: { $0.view === view }) {
      return .perform(takeStarted(at: index, hidesOuter: true))
    }
    while !isOnWorker(frame), startBackground() {
      if caller.granted != nil { return nextForSync(caller, queue, frame) }
      if let index = started.firstIndex(where: { $0.view === view }) {
        return .perform(takeStarted(at: index, hidesOuter: true))
      }
    }
    if caller.granted != nil { return nextForSync(caller, queue, frame) }
    if !started.isEmpty { return .perform(takeStarted(at: 0, hidesOuter: true)) }
    if poolView(view).queue.isSuspended {
      return .stuck(
        .nothingCanEndIt(
          "\(queue.label) is suspended, so its turn would never come; resume it first"))
    }
    return .stuck(.wouldDeadlock(chain: chain(to: "its turn on \(queue.label)", frame)))
  }

  private mutating func nextForForegroundSync(
    _ caller: SyncCaller, _ queue: TaskQueue, _ frame: TaskFrame?
  ) -> NextForSync {
    let time = now
    let isNext =
      foreground.withNext(now: { time }) { entry in
        if case .caller(let next) = entry.work { next === caller } else { false }
      } ?? false
    guard isNext else {
      guard let next = takeForeground(hidesOuter: true) else {
        return .stuck(.wouldDeadlock(chain: chain(to: "its turn on the foreground", frame)))
      }
      return .perform(next)
    }
    let entry = foreground.take(now: { time })!
    return .granted(enter(entry, queue, nil, frame, hidesOuter: true))
  }

  private mutating func enter(
    _ granted: PoolOrder<Entry>.Started, _ queue: TaskQueue, _ frame: TaskFrame?
  ) -> Body {
    enter(granted.taken.entry, queue, granted, frame, hidesOuter: false)
  }

  private mutating func enter(
    _ entry: Entry, _ queue: TaskQueue, _ granted: PoolOrder<Entry>.Started?,
    _ frame: TaskFrame?, hidesOuter: Bool
  ) -> Body {
    setWaitsFor(nil, nil, frame)
    ledger.waiting -= 1
    ledger.running += 1
    if tells { emit(.started, entry.record(lane: queue.lane, queue: queue.label)) }
    return perform(
      entry, queue: queue.identity, label: queue.label, started: granted, hidesOuter: hidesOuter)
  }

  /// Takes a caller whose turn cannot come out of the queue.
  mutating func withdraw(_ caller: SyncCaller, _ queue: TaskQueue, _ refusal: WaitRefusal) {
    let view = view(queue.view)
    let time = now
    let band = PriorityBand.medium
    if queue.lane == .foreground {
      _ = foreground.remove(at: caller.position, in: band)
    } else {
      _ = pool.remove(
        at: caller.position, in: band, isBarrier: queue.isBarrier, from: poolView(view),
        now: { time })
      handOutGrants()
    }
    ledger.accepted -= 1
    ledger.waiting -= 1
    ledger.refused += 1
    if let index = history.lastIndex(where: { $0.task.id.number == caller.id }) {
      history.append(
        TaskEvent(
          .refused(.wouldDeadlock), history[index].task,
          at: DispatcherInstant(nanoseconds: now)))
    }
  }

  // MARK: wait

  func hasComeAbout(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): item.outcome != nil
    case .group(let group): group.count == 0
    }
  }

  /// The next body to run for somebody who waits for `target`.
  mutating func nextForWait(_ target: WaitTarget, _ frame: TaskFrame?) -> Body? {
    if case .item(let item) = target, item.place.stage != .held, item.place.stage != .timers,
      item.lane == .background
    {
      // Only what must precede it.
      if let index = started.firstIndex(where: { $0.entry.item === item }) {
        return takeStarted(at: index, hidesOuter: true)
      }
      while startBackground() {
        if let index = started.firstIndex(where: { $0.entry.item === item }) {
          return takeStarted(at: index, hidesOuter: true)
        }
      }
      return started.isEmpty ? nil : takeStarted(at: 0, hidesOuter: true)
    }
    if !foregroundIsBusy, let next = takeForeground(hidesOuter: true) { return next }
    return takeBackground(hidesOuter: true)
  }

  mutating func nextForRoom(_ queue: TaskQueue, _ frame: TaskFrame?) -> Body? {
    if queue.lane == .foreground {
      return foregroundIsBusy ? nil : takeForeground(hidesOuter: true)
    }
    let view = view(queue.view)
    if let index = started.firstIndex(where: { $0.view === view }) {
      return takeStarted(at: index, hidesOuter: true)
    }
    return takeBackground(hidesOuter: true)
  }

  // MARK: What cannot end

  /// Whether the thread that waits is one of the pool's.
  private func isOnWorker(_ frame: TaskFrame?) -> Bool {
    guard let index = runningIndex(frame) else { return false }
    // A `sync` body runs on its caller's thread: the frame below says what thread that is.
    return running[...index].reversed().first { body in
      body.started?.taken.runner != .caller || body.hidesOuter
    }.map { $0.queue.lane == .background } ?? false
  }

  /// Why a `sync` on `queue` could not be waited for, as far as the stack of this thread tells.
  func refusalToSync(on queue: TaskQueue, _ frame: TaskFrame?) -> WaitRefusal? {
    guard let top = runningIndex(frame) else { return nil }
    let wanted = queue.identity
    var isVisible = true
    var everyWaitNeedsAnEnd = true
    for index in running[...top].indices.reversed() {
      if !isVisible, let waits = running[index].waitsFor, let waitsFor = waits.queue {
        if !isFullyTaken(waitsFor) { everyWaitNeedsAnEnd = false }
      }
      if running[index].queue == wanted {
        let links = chain(to: "its turn on \(queue.label)", frame)
        return isVisible || everyWaitNeedsAnEnd
          ? .wouldDeadlock(chain: links) : .cannotBeOrdered(chain: links)
      }
      if running[index].hidesOuter { isVisible = false }
    }
    return nil
  }

  /// Whether a caller of `queue` can go on only if something of it ends.
  private func isFullyTaken(_ queue: TaskQueue.Identity) -> Bool {
    guard queue.lane == .background else { return true }
    let view = views.first { ObjectIdentifier($0) == queue.view }
    let pool = poolView(view)
    return pool.queue.runsBarrier || pool.queue.running >= pool.queue.width
  }

  /// Why waiting for `target` is waiting for itself, or nil.
  func refusalToWait(for target: WaitTarget, _ frame: TaskFrame?) -> WaitRefusal? {
    guard runningIndex(frame) != nil else { return nil }
    guard case .item(let item) = target else {
      let isStuck = foregroundIsBusy && hasForeground || backgroundIsStuck
      return isStuck ? .wouldDeadlock(chain: chain(to: target.description, frame)) : nil
    }
    if running.contains(where: { $0.entry.item === item }) {
      return .wouldDeadlock(chain: chain(to: item.name, frame))
    }
    let isBehindUs: Bool
    if item.lane == .foreground {
      isBehindUs = foregroundIsBusy
    } else {
      isBehindUs = item.place.stage == .queue && !poolView(view(item.view)).queue.isSuspended
    }
    return isBehindUs ? .wouldDeadlock(chain: chain(to: item.name, frame)) : nil
  }

  /// Whether tasks wait for workers that all stand on this stack.
  private var backgroundIsStuck: Bool {
    guard pool.busyWorkers >= pool.width || running.contains(where: { $0.started != nil }) else {
      return false
    }
    var waits = !pool.background.queue.ready.isEmpty
    for view in views where !view.pool.queue.isSuspended && !view.pool.queue.ready.isEmpty {
      waits = true
    }
    return waits
  }

  func whatIsMissing(for target: WaitTarget) -> String {
    let next = nextDeadlineInstant.map { "; the next deadline is at \($0)" } ?? ""
    switch target {
    case .group(let group):
      return "the group has \(group.count) left in it, and nothing that waits would leave it\(next)"
    case .item(let item):
      let why = pendingTasks().first { $0.task.id == item.place.id }?.obstacle
      return "\(item.name) cannot run (\(why.map(\.description) ?? "it is not queued here"))\(next)"
    }
  }

  /// Who waits for whom, from the caller outwards.
  private func chain(to target: String, _ frame: TaskFrame?) -> [WaitLink] {
    guard let top = runningIndex(frame) else {
      return [WaitLink(waiter: "this thread", waiterQueue: nil, waitsFor: target)]
    }
    var links: [WaitLink] = []
    for index in running[...top].indices.reversed() {
      let body = running[index]
      let waitsFor = index == top ? target : body.waitsFor?.name
      guard let waitsFor else { continue }
      links.append(
        WaitLink(waiter: body.record.name, waiterQueue: body.record.queue, waitsFor: waitsFor))
    }
    return links
  }

  mutating func setWaitsFor(
    _ name: String?, _ queue: TaskQueue.Identity?, _ frame: TaskFrame?
  ) {
    guard let index = runningIndex(frame) else { return }
    running[index].waitsFor = name.map { ($0, queue) }
  }

  /// Everything of a queue that has not ended.
  func unfinished(on queue: TaskQueue.Identity) -> Set<UInt64> {
    var ids = Set(running.filter { $0.queue == queue }.map(\.entry.id))
    func add(_ entry: borrowing Entry) { ids.insert(entry.id) }
    if queue.lane == .foreground {
      due.forEach(add)
      foreground.forEach(add)
    } else {
      let view = views.first { ObjectIdentifier($0) == queue.view }
      poolView(view).queue.ready.forEach(add)
      for left in started where left.view === view { ids.insert(left.entry.id) }
    }
    return ids
  }
}
