internal import TaskDispatch

extension State {
  enum NextForSync {
    /// Run this body: the caller's own if the call has been admitted, or another.
    case perform(Entry)
    case stuck(WaitRefusal)
  }

  // MARK: sync

  /// Queues a caller of `sync` in the order of `queue`. Returns its own body if that runs at once (policy `.inline`).
  mutating func admitCaller(
    _ caller: SyncCaller, on queue: TaskQueue, site: CallSite
  ) throws(WaitRefusal) -> Entry? {
    let view = view(queue.view)
    let body = bodyOfThisThread
    let entry = makeEntry(
      .caller(caller), on: queue.lane, view, at: site, parent: body?.lineage)
    if let refusal = refusal(isFromOwnWork: body != nil, at: site) {
      countRefusal(refusal, entry)
      throw .refused(refusal)
    }
    if let refusal = refusalToSync(on: queue) {
      decisions?.noteDeadlock(refusal)
      countRefusal(.wouldDeadlock, entry)
      throw refusal
    }
    countAccepted(entry)
    if configuration.policy == .inline, !poolView(view).queue.isSuspended {
      return perform(inline: entry)
    }
    caller.entry = entry
    caller.id = entry.id
    body?.wait = Wait(
      for: "its turn on \(queue.label)", admission: (caller, queue.identity))
    caller.position = enqueue(entry, isBarrier: queue.isBarrier && queue.lane == .background)
    return nil
  }

  /// Decides what a caller of `sync` does next while it waits to be admitted.
  mutating func nextForSync(
    _ caller: SyncCaller, _ queue: TaskQueue, _ waiting: WaitingCall
  ) -> NextForSync {
    if caller.isRejected { return .stuck(.refused(.shutDown)) }
    if queue.lane == .foreground { return nextForForegroundSync(caller, queue, waiting) }
    let view = view(queue.view)
    let isOnWorker = isOnWorker
    // If the test itself waits, every started task before it runs to its end first. If a body waits, it goes on as soon
    // as it is admitted: a task that has only started may be waiting for that body.
    let isTest = bodyOfThisThread == nil
    while true {
      if isTest, let index = started.firstIndex(where: { $0.view === view && $0.id < caller.id }) {
        return .perform(takeStarted(at: index, hidesOuter: true))
      }
      if let admission = caller.admission.take() {
        return .perform(
          enter(admission.taken.entry, of: caller, .init(admission.taken), hidesOuter: false))
      }
      if let index = started.firstIndex(where: { $0.view === view }) {
        return .perform(takeStarted(at: index, hidesOuter: true))
      }
      if !startBackground() { break }
    }
    if caller.admission != nil { return nextForSync(caller, queue, waiting) }
    if !started.isEmpty { return .perform(takeStarted(at: 0, hidesOuter: true)) }
    // No worker is free: a blocked worker runs the first task of this view itself.
    if isOnWorker, let next = takeToHelp(view) { return .perform(next) }
    if let next = nextForOthers(than: waiting) { return .perform(next) }
    if let refusal = refusalIfOthersCanGoOn(than: waiting, "its turn on \(queue.label)") {
      return .stuck(refusal)
    }
    if poolView(view).queue.isSuspended {
      return .stuck(
        .nothingCanEndIt(
          "\(queue.label) is suspended, so its turn would never come; resume it first"))
    }
    return .stuck(.wouldDeadlock(chain: chain(to: "its turn on \(queue.label)")))
  }

  private mutating func nextForForegroundSync(
    _ caller: SyncCaller, _ queue: TaskQueue, _ waiting: WaitingCall
  ) -> NextForSync {
    let time = now
    let isNext =
      !foregroundIsBusy
      && foreground.withNext(
        now: { time },
        { entry in
          if case .caller(let next) = entry.work { next === caller } else { false }
        }) ?? false
    guard isNext else {
      let head = foregroundIsBusy ? nil : takeForeground(hidesOuter: true)
      if let next = head ?? nextForOthers(than: waiting) { return .perform(next) }
      let wait = "its turn on \(queue.label)"
      return .stuck(
        refusalIfOthersCanGoOn(than: waiting, wait) ?? .wouldDeadlock(chain: chain(to: wait)))
    }
    return .perform(
      enter(foreground.takePosted(now: { time })!, of: caller, nil, hidesOuter: true))
  }

  /// Lets an admitted caller begin its own body.
  mutating func enter(
    _ entry: Entry, of caller: SyncCaller, _ share: Entry.Share?, hidesOuter: Bool
  ) -> Entry {
    // The calling task now waits until the body of its own `sync` has ended.
    caller.waiter?.wait = Wait(for: entry.described)
    ledger.waiting -= 1
    ledger.running += 1
    entry.share = share
    emit(.started, entry)
    return perform(entry, hidesOuter: hidesOuter)
  }

  /// Takes a caller that cannot be admitted out of the queue. The call ends cancelled.
  mutating func withdraw(_ caller: SyncCaller, _ queue: TaskQueue) {
    bodyOfThisThread?.wait = nil
    if let admission = caller.admission.take() {
      // The call had been admitted, and has not run its body.
      let time = now
      pool.finish(admission.share, now: { time })
      admitCallers()
      endUnstarted(admission.taken.entry, .cancelled)
      return
    }
    guard let entry = caller.entry else { return }
    if queue.lane == .foreground {
      _ = foreground.posted.remove(at: caller.position, in: .medium)
    } else {
      let time = now
      _ = pool.remove(
        at: caller.position, in: entry.band, isBarrier: queue.isBarrier,
        from: poolView(entry.view), now: { time })
      admitCallers()
    }
    endUnstarted(entry, .cancelled)
  }

  // MARK: wait

  func hasComeAbout(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): item.outcome != nil
    case .group(let group, let time): group.count == 0 || group.hasEmptied(since: time)
    }
  }

  /// The next body to run while a call waits for `target`.
  mutating func nextForWait(_ target: WaitTarget) -> Entry? {
    if case .group(let group, _) = target {
      // Members of the group first: another task may be waiting for something that this wait holds back.
      repeat {
        if let index = started.firstIndex(where: { $0.item?.handled.group === group }) {
          return takeStarted(at: index, hidesOuter: true)
        }
      } while startBackground()
    }
    if case .item(let item) = target, item.lane == .background,
      item.stage != .held, item.stage != .timers
    {
      // Only the tasks that must start before the item.
      if let index = started.firstIndex(where: { $0.item === item }) {
        return takeStarted(at: index, hidesOuter: true)
      }
      while startBackground() {
        if let index = started.firstIndex(where: { $0.item === item }) {
          return takeStarted(at: index, hidesOuter: true)
        }
      }
      if !started.isEmpty { return takeStarted(at: 0, hidesOuter: true) }
      // The task that will resume the suspended view may be waiting on another queue.
      guard poolView(view(item.view)).queue.isSuspended else { return nil }
    }
    if !foregroundIsBusy, let next = takeForeground(hidesOuter: true) { return next }
    return takeBackground(hidesOuter: true)
  }

  mutating func nextForRoom(_ queue: TaskQueue) -> Entry? {
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

  /// Whether the thread that waits is a worker of the pool.
  private var isOnWorker: Bool {
    guard let body = bodyOfThisThread else { return false }
    // A `sync` body runs on its caller's thread: the context below says which thread that is.
    return stack(from: body).first {
      $0.place != .elsewhere && ($0.body.willHideOuter || $0.body.share?.runner != .caller)
    }
    .map { $0.body.queue.lane == .background } ?? false
  }

  /// Why a `sync` on `queue` could never return, as far as the stack of this thread shows. Nil if it may return.
  mutating func refusalToSync(on queue: TaskQueue) -> WaitRefusal? {
    guard let body = bodyOfThisThread else { return nil }
    let wanted = queue.identity
    var isCertain = true
    for (running, place) in stack(from: body) {
      // In an exploration this proves nothing: that body goes on when the bodies stacked on it have ended.
      if place == .elsewhere, decisions != nil { continue }
      if place == .elsewhere, let wait = running.wait {
        if let admission = wait.admission {
          if !needsAnEnd(admission.caller, admission.queue) { isCertain = false }
        } else if othersGoOn && !wait.awaits(body) || mayEndByItself(wait) {
          // Other tasks may bring what that body waits for, while this body waits.
          isCertain = false
        }
      }
      if running.queue == wanted {
        // The `sync` could run beside that body.
        if place != .below, hasRoomBeside(running, queue) { continue }
        let links = chain(to: "its turn on \(queue.label)")
        return place != .elsewhere || isCertain
          ? .wouldDeadlock(chain: links) : .cannotBeOrdered(chain: links)
      }
    }
    return nil
  }

  /// Whether something could run now that is not on this stack.
  private var othersGoOn: Bool {
    mutating get {
      let time = now
      return !started.isEmpty || pool.canStart(now: { time })
        || !foregroundIsBusy && hasForeground
    }
  }

  /// Whether a `sync` on `queue` could run beside `body`, which is a task of that queue and waits on another thread.
  private func hasRoomBeside(_ body: Entry, _ queue: TaskQueue) -> Bool {
    guard queue.lane == .background, !queue.isBarrier else { return false }
    let pool = poolView(body.view)
    return !pool.queue.runsBarrier && pool.queue.running < pool.queue.width
  }

  /// Where a body on the stack of this thread would be if everything ran on threads.
  private enum StackPlace {
    /// Further down, on the same thread.
    case below
    /// Further down on the same thread, and hidden: a worker runs the bodies above it while it waits.
    case hidden
    /// On another thread.
    case elsewhere
  }

  /// The bodies on this stack, from `body` outwards.
  private func stack(from body: Entry) -> [(body: Entry, place: StackPlace)] {
    let top = running.firstIndex { $0 === body } ?? running.count - 1
    var place = StackPlace.below
    var caller: SyncCaller?
    return running[...top].reversed().map { body in
      // The bodies between the body of a `sync` and its caller are on other threads.
      if let waiter = caller?.waiter, waiter === body { caller = nil }
      guard caller == nil, place != .elsewhere else { return (body, .elsewhere) }
      let mine = place
      if body.willHideOuter { place = body.isHelped ? .hidden : .elsewhere }
      if body.runsAboveItsCaller, case .caller(let its) = body.work { caller = its }
      return (body, mine)
    }
  }

  /// Whether a blocked caller of `queue` can go on only after a task of that queue has ended.
  private func needsAnEnd(_ caller: SyncCaller, _ queue: TaskQueue.Identity) -> Bool {
    // It has been admitted: on a thread of its own it would have gone on.
    if caller.admission != nil { return false }
    guard queue.lane == .background else { return true }
    let pool = poolView(views.first { ObjectIdentifier($0) == queue.view })
    return pool.queue.runsBarrier || pool.queue.running >= pool.queue.width
  }

  /// The refusal of a wait for `target` that bodies on this stack keep from ending. Nil if they do not.
  func refusalToWait(for target: WaitTarget) -> WaitRefusal? {
    guard let body = bodyOfThisThread else { return nil }
    let stack = stack(from: body)
    if stack.contains(where: { $0.place != .elsewhere && target.isEnded(by: $0.body) }) {
      return .wouldDeadlock(chain: chain(to: target.description))
    }
    guard isStuck(target) else { return nil }
    let links = chain(to: target.description)
    // On threads, the body that holds it back could go on.
    for other in stack where other.place == .elsewhere {
      if let wait = other.body.wait, mayEndByItself(wait) { return .cannotBeOrdered(chain: links) }
    }
    return .wouldDeadlock(chain: links)
  }

  /// Whether bodies on this stack hold `target` back.
  private func isStuck(_ target: WaitTarget) -> Bool {
    if running.contains(where: { target.isEnded(by: $0) }) { return true }
    switch target {
    case .group(let group, _):
      return waitingItems().contains { $0.handled.group === group && isHeldBack($0) }
    case .item(let awaited):
      let item = awaited.next
      if item.lane == .foreground { return foregroundIsBusy && item.stage != .nowhere }
      return item.stage == .queue && !poolView(view(item.view)).queue.isSuspended
    }
  }

  /// Whether the wait of a body may end although no body on this stack ends.
  private func mayEndByItself(_ wait: Wait) -> Bool {
    if wait.mayTimeOut { return true }
    guard let target = wait.target else { return false }
    return !isStuck(target)
  }

  /// Whether an item waits in a queue and bodies on this stack hold its queue, the loop or the workers.
  private func isHeldBack(_ item: WorkItem) -> Bool {
    guard item.stage == .queue || item.stage == .due else { return false }
    if item.lane == .foreground { return foregroundIsBusy }
    return running.contains { $0.share != nil } && !poolView(view(item.view)).queue.isSuspended
  }

  /// Why a wait for `target` cannot end, although no body of this thread is in its way.
  func whatIsMissing(for target: WaitTarget) -> String {
    let next = nextDeadlineInstant.map { "; the next deadline is at \($0)" } ?? ""
    let waiter = bodyOfThisThread.map { "\($0.described) waits in vain: " } ?? ""
    switch target {
    case .group(let group, _):
      let left = waiter + "the group has \(group.count) left in it, "
      guard let item = firstWaitingMember(of: group) else {
        return left + "and nothing that waits would leave it: each enter() needs a leave()\(next)"
      }
      return left + "of which \(whyItCannotRun(item))\(next)"
    case .item(let item):
      return waiter + whyItCannotRun(item.next) + next
    }
  }

  private func whyItCannotRun(_ item: WorkItem) -> String {
    let why = pendingTasks().first { $0.task.id == item.place.id }?.obstacle
    return "\(item.name) cannot run (\(why.map(\.description) ?? "it is not queued here"))"
  }

  /// The member of `group` that was submitted first, among those that have not started.
  private func firstWaitingMember(of group: WorkGroup) -> WorkItem? {
    var items = waitingItems()
    func add(_ timed: Timed, due _: Int64) { items.append(timed.item) }
    timers.forEach(add)
    return items.filter { $0.handled.group === group }.min { $0.place.id < $1.place.id }
  }

  /// Which task waits for what, from the calling body outwards.
  func chain(to target: String) -> [WaitLink] {
    guard let body = bodyOfThisThread else {
      return [WaitLink(waiter: "this thread", waiterQueue: nil, waitsFor: target)]
    }
    return stack(from: body).compactMap { running, _ in
      guard let waitsFor = running === body ? target : running.wait?.name else { return nil }
      return WaitLink(
        waiter: running.described, waiterQueue: running.queueLabel, waitsFor: waitsFor)
    }
  }

  /// The tasks of `queue` that have not ended.
  func unfinished(on queue: TaskQueue) -> Set<UInt64> {
    let identity = queue.identity
    var ids = Set(running.filter { $0.queue == identity && !$0.isAbandoned }.map(\.id))
    func add(_ entry: Entry) { ids.insert(entry.id) }
    if queue.lane == .foreground {
      func addTimer(_ entry: Entry) { if !entry.isEvent { add(entry) } }
      foreground.due.forEach(addTimer)
      foreground.posted.forEach(add)
    } else {
      let view = view(queue.view)
      poolView(view).queue.ready.forEach(add)
      for left in started where left.view === view { ids.insert(left.id) }
    }
    for entry in waitingForRoom where entry.lane == queue.lane && entry.view === view(queue.view) {
      ids.insert(entry.id)
    }
    return ids
  }
}
