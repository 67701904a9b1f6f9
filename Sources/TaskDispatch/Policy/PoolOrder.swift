/// Which task of which view a free worker starts.
///
/// The views stand against each other as a ``ReadyQueue`` of *turns*. A view holds as many turns as
/// its width and barriers let it start. A new turn goes to the tail of the band of the task that it
/// would start, and moves up when a higher task arrives; it takes its task only when it starts. So
/// one view with a long queue cannot hold another back, and no view is promised more than its share.
///
/// While only the background has work, workers take straight from its queue: the same order, without
/// turns, and without their cost.
///
/// A value without lock, clock or thread. Both dispatchers take from this type.
@usableFromInline package struct PoolOrder<Entry: PoolEntry>: ~Copyable {
  @usableFromInline package typealias View = PoolView<Entry>
  @usableFromInline package typealias Taken = ViewQueue<Entry>.Taken

  /// A task that has been taken from a view to run.
  @usableFromInline package struct Started {
    @usableFromInline package let taken: Taken
    @usableFromInline package let view: View

    @inlinable init(taken: consuming Taken, view: View) {
      self.taken = taken
      self.view = view
    }

    /// What has to be given back when the task has ended.
    @inlinable package var lease: Lease {
      Lease(view: view, runner: taken.runner, isBarrier: taken.isBarrier)
    }
  }

  /// A started task's share of its view's width and of the workers.
  @usableFromInline package struct Lease {
    @usableFromInline package let view: View
    @usableFromInline package let runner: ViewQueue<Entry>.Runner
    @usableFromInline package let isBarrier: Bool

    @inlinable init(view: View, runner: ViewQueue<Entry>.Runner, isBarrier: Bool) {
      self.view = view
      self.runner = runner
      self.isBarrier = isBarrier
    }
  }

  @usableFromInline struct Turn {
    @usableFromInline let view: View
    @usableFromInline let serial: Int

    @inlinable init(view: View, serial: Int) {
      self.view = view
      self.serial = serial
    }

    /// Compaction has moved it: the view that holds it must know where it is.
    @inlinable func moved(to position: Int) {
      view.ownedQueue.update { $0.turnHasMoved(serial, to: position) }
    }
  }

  /// The most workers that run tasks at a time.
  @usableFromInline package let width: Int
  /// The pool itself as a view. Its tasks stand behind no view's.
  @usableFromInline package let background: View
  /// Workers that run a task now.
  @usableFromInline package internal(set) var busyWorkers = 0
  @usableFromInline var turns: ReadyQueue<Turn>
  /// False while the background alone has work.
  @usableFromInline var usesTurns = false
  /// Views other than the background that hold turns.
  @usableFromInline var viewsWithTurns = 0
  /// Entries that callers may now run. The owner takes them after each call.
  @usableFromInline var grants: [Started] = []

  /// - Parameters:
  ///   - width: The most workers that run tasks at a time. At least 1.
  ///   - relocated: As of ``ReadyQueue``, for the background's own tasks.
  @inlinable package init(
    width: Int, agingStep: Int64,
    relocated: @escaping (inout Entry, Int) -> Void = { _, _ in }
  ) {
    precondition(width >= 1, "a background needs a width of at least 1 (width: \(width))")
    self.init(
      width: width,
      background: View(
        width: width, workerWidth: width, agingStep: agingStep, relocated: relocated),
      agingStep: agingStep)
  }

  @inlinable init(width: Int, background: View, agingStep: Int64) {
    self.width = width
    self.background = background
    turns = ReadyQueue(agingStep: agingStep, relocated: { $0.moved(to: $1) })
  }

  // MARK: Putting in and taking back

  /// Adds `entry` to `view`, and returns the position to remove it by. Amortised O(1).
  @inlinable package mutating func submit(
    _ entry: consuming Entry, to view: View, in band: PriorityBand, isBarrier: Bool = false,
    now: () -> Int64
  ) -> Int {
    let position =
      isBarrier ? view.queue.pushBarrier(entry, in: band) : view.queue.push(entry, in: band)
    if isBarrier || !view.queue.keepsTurns(withOneMoreIn: band) { settle(view, now: now) }
    return position
  }

  /// Removes a waiting entry from `view`. Nil if it is not there (any more).
  @inlinable package mutating func remove(
    at position: Int, in band: PriorityBand, isBarrier: Bool, from view: View, now: () -> Int64
  ) -> Entry? {
    let removed = view.queue.remove(at: position, in: band, isBarrier: isBarrier)
    if removed != nil { settle(view, now: now) }
    return removed
  }

  /// As of ``ViewQueue/vacate(at:in:)``.
  @inlinable package mutating func vacate(
    at position: Int, in band: PriorityBand, of view: View, now: () -> Int64
  ) -> Bool {
    let isVacated = view.queue.vacate(at: position, in: band)
    if isVacated { settle(view, now: now) }
    return isVacated
  }

  @inlinable package mutating func suspend(_ view: View, now: () -> Int64) {
    view.queue.suspend()
    settle(view, now: now)
  }

  @inlinable package mutating func resume(_ view: View, now: () -> Int64) {
    if view.queue.resume() { settle(view, now: now) }
  }

  // MARK: Taking out

  /// Takes the task that a free worker starts next. Nil if no worker is free or no task may start.
  @inlinable @inline(__always) package mutating func start(now: () -> Int64) -> Started? {
    guard busyWorkers < width else { return nil }
    if usesTurns || background.queue.callersWaiting > 0 { return search(now: now) }
    // Nobody else has a say. In two steps: of one, Swift 6.3.1 makes a broken module for
    // ThreadSanitizer.
    let view = background
    let next = view.queue.takeForWorker(now: now)
    guard let next else { return nil }
    busyWorkers += 1
    dropRestingTurns()
    return Started(taken: next, view: view)
  }

  /// What ``finish(_:now:)`` and ``start(now:)`` do one after the other for a task of the background
  /// that a worker ran and that was no barrier, if the next one is one that `isWanted`: its share goes
  /// from one to the other. Nil if it is not, or if anything but the background's one band has a say;
  /// then nothing has changed.
  @inlinable @inline(__always)
  package mutating func takeOver(if isWanted: (inout Entry) -> Bool) -> Entry? {
    if usesTurns { return nil }
    return background.takeInPlace(if: isWanted)
  }

  /// The same for a task of `view`, which is not the background, while nobody else has anything to do.
  ///
  /// All turns are its own. Its end would bring one more, if it has work for that, and the start would
  /// take one: that leaves as many as there were, or one less if each of its tasks had a turn.
  @inlinable package mutating func takeOver(
    of view: View, if isWanted: (inout Entry) -> Bool
  ) -> Entry? {
    if !background.isEmpty || usesTurns && (viewsWithTurns > 1 || !view.holdsTurns) { return nil }
    if let entry = view.takeBetweenTurns(if: isWanted) {
      turns.renew()
      return entry
    }
    guard let entry = view.takeWithTurn(if: isWanted) else { return nil }
    // All are of one band.
    forget(turns.take(now: { 0 })!)
    return entry
  }

  @inlinable @inline(never) mutating func search(now: () -> Int64) -> Started? {
    while true {
      let view: View
      if usesTurns {
        guard let turn = turns.take(now: now) else { return nil }
        view = turn.view
        forget(turn)
      } else {
        view = background
      }
      let time = view.queue.timeForCallers(now: now)
      if let taken = view.queue.takeForWorker(now: { time ?? now() }) {
        busyWorkers += 1
        if !usesTurns { dropRestingTurns() }
        settle(view, now: now)
        return Started(taken: taken, view: view)
      }
      // Time has made a caller's entry the next one: it goes first, and then the view looks again.
      let granted = grantCallers(view, now: { time ?? now() })
      settle(view, now: now)
      if !granted, !usesTurns { return nil }
    }
  }

  /// Whether ``start(now:)`` would return a task, or find one that a caller may run by now.
  @inlinable @inline(__always) package func canStart(now: () -> Int64) -> Bool {
    guard busyWorkers < width else { return false }
    if usesTurns { return turns.hasStartable }
    if background.queue.callersWaiting == 0 { return background.queue.workerMayStart }
    return background.queue.anybodyMayStart(now: now)
  }

  /// Whether ``start(now:)`` would return a task to each of two workers. Where callers wait for their
  /// turn, less may start than it says.
  @inlinable package var twoMayStart: Bool {
    guard width - busyWorkers >= 2 else { return false }
    return usesTurns ? turns.startableCount >= 2 : background.queue.twoWorkersMayStart
  }

  /// Whether a task of the background's medium band may be taken now, as far as its queue goes.
  @inlinable package var hasMedium: Bool { background.queue.hasMedium }

  /// As ``ViewQueue/enter(asBarrier:)``. Nobody else's turn depends on it: the view holds none, for
  /// nothing of it waits.
  @inlinable package mutating func enter(_ view: View, asBarrier isBarrier: Bool) -> Bool {
    view.queue.enter(asBarrier: isBarrier)
  }

  /// Takes the next task of `view` for a thread that waits in its `sync`; no worker is needed.
  @inlinable package mutating func startToHelp(_ view: View, now: () -> Int64) -> Started? {
    let time = view.queue.timeForCallers(now: now)
    guard let taken = view.queue.takeToHelp(now: { time ?? now() }) else {
      // Time may have made a caller's entry the next one: it goes first, and nobody else may look.
      if grantCallers(view, now: { time ?? now() }) { settle(view, now: now) }
      return nil
    }
    settle(view, now: now)
    return Started(taken: taken, view: view)
  }

  /// Says that a started task has run to its end.
  @inlinable package mutating func finish(_ lease: Lease, now: () -> Int64) {
    finish(lease.runner, isBarrier: lease.isBarrier, of: lease.view, now: now)
  }

  /// The same, for an owner that knows the view anyway.
  @inlinable package mutating func finish(
    _ runner: ViewQueue<Entry>.Runner, isBarrier: Bool, of view: View, now: () -> Int64
  ) {
    view.queue.finish(runner, isBarrier: isBarrier)
    if runner == .worker { busyWorkers -= 1 }
    settle(view, now: now)
  }

  @inlinable package mutating func finish(_ started: Started, now: () -> Int64) {
    finish(started.lease, now: now)
  }

  /// Whether ``takeGrants()`` would return any.
  @inlinable package var hasGrants: Bool { !grants.isEmpty }

  /// Entries that callers may run since the last call of this, in the order of their turn.
  @inlinable package mutating func takeGrants() -> [Started] {
    guard !grants.isEmpty else { return [] }
    defer { grants = [] }
    return grants
  }

  // MARK: Turns

  @inlinable mutating func grantCallers(_ view: View, now: () -> Int64) -> Bool {
    var granted = false
    while let taken = view.queue.takeForCaller(now: now) {
      grants.append(Started(taken: taken, view: view))
      granted = true
    }
    return granted
  }

  /// Makes the turns that `view` holds those that it wants. O(bands), and O(turns that change).
  @inlinable @inline(__always) package mutating func settle(_ view: View, now: () -> Int64) {
    let isAlone = !usesTurns && view === background && background.queue.heldTurns.isEmpty
    if isAlone, view.queue.callersWaiting == 0 { return }
    if view !== background, !view.queue.hasBusinessWithTurns {
      return stopUsingTurnsIfAlone()
    }
    settleTurns(view, isAlone: isAlone, now: now)
  }

  @inlinable @inline(never)
  mutating func settleTurns(_ view: View, isAlone: Bool, now: () -> Int64) {
    let time = view.queue.timeForCallers(now: now)
    if time != nil { _ = grantCallers(view, now: { time ?? now() }) }
    guard !isAlone else { return }
    if let missing = view.missingTurns(now: { time ?? now() }) {
      if !usesTurns, view !== background {
        // What the background already had to do is older than what this view begins to want.
        usesTurns = true
        settle(background, now: now)
      }
      let had = view.holdsTurns
      for index in 0..<4 where missing[index] < 0 {
        for _ in missing[index]..<0 { dropNewestTurn(of: view, in: PriorityBand(at: index)) }
      }
      for index in 0..<4 where missing[index] > 0 {
        for _ in 0..<missing[index] { addTurn(of: view, in: PriorityBand(at: index)) }
      }
      if view !== background, view.holdsTurns != had { viewsWithTurns += had ? -1 : 1 }
    }
    if view !== background { stopUsingTurnsIfAlone() }
  }

  /// The background's turns rest: they keep their place and age, for a view may want one soon.
  ///
  /// Dropped at once, the turn of a low task would begin to age anew each time that the only task of
  /// a higher view starts, and would never win against a view that always has another.
  @inlinable mutating func stopUsingTurnsIfAlone() {
    if viewsWithTurns == 0 { usesTurns = false }
  }

  /// The background has started a task without a turn: what its turns waited for has come.
  @inlinable @inline(__always) mutating func dropRestingTurns() {
    if !background.queue.heldTurns.isEmpty { dropTurnsOfBackground() }
  }

  @inlinable @inline(never) mutating func dropTurnsOfBackground() {
    for index in 0..<4 {
      let band = PriorityBand(at: index)
      while background.queue.heldTurnCounts[index] > 0 { dropNewestTurn(of: background, in: band) }
    }
  }

  @inlinable mutating func addTurn(of view: View, in band: PriorityBand) {
    let serial = view.ownedQueue.update { $0.takeTurnSerial() }
    let position = turns.push(Turn(view: view, serial: serial), in: band)
    view.ownedQueue.update {
      $0.hold(ViewQueue.HeldTurn(serial: serial, band: band, position: position))
    }
  }

  @inlinable mutating func dropNewestTurn(of view: View, in band: PriorityBand) {
    let turn = view.ownedQueue.update { $0.dropNewestTurn(in: band) }
    _ = turns.remove(at: turn.position, in: band)
  }

  /// The turn has been taken out of the pool's order.
  @inlinable mutating func forget(_ turn: Turn) {
    let holdsMore = turn.view.ownedQueue.update { $0.dropTurn(turn.serial) }
    if !holdsMore, turn.view !== background { viewsWithTurns -= 1 }
  }
}
