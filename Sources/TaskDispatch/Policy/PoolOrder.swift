/// Decides which task of which view a free worker starts.
///
/// The order between the views is a ``ReadyQueue`` of *ready tokens* (``ReadyToken``). A ready token is a view's
/// claim on a worker. A view holds as many tokens as its width and barriers let it start tasks. A new token
/// goes to the tail of the band of the task that it would start, and moves up when a task of a higher band
/// arrives. It takes its task only when a worker starts it. So a view with a long queue cannot delay another
/// view, and no view is promised more than its share.
///
/// While only the background has work, workers take straight from its queue. The order is the same, without
/// the cost of tokens.
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

    /// The share to give back when the task has ended.
    @inlinable package var share: Share {
      Share(view: view, runner: taken.runner, isBarrier: taken.isBarrier)
    }
  }

  /// A started task's share: of its view's width and, if a worker runs it, of the workers.
  @usableFromInline package struct Share {
    @usableFromInline package let view: View
    @usableFromInline package let runner: ViewQueue<Entry>.Runner
    @usableFromInline package let isBarrier: Bool

    @inlinable init(view: View, runner: ViewQueue<Entry>.Runner, isBarrier: Bool) {
      self.view = view
      self.runner = runner
      self.isBarrier = isBarrier
    }
  }

  @usableFromInline struct ReadyToken {
    @usableFromInline let view: View
    @usableFromInline let serial: Int

    @inlinable init(view: View, serial: Int) {
      self.view = view
      self.serial = serial
    }

    /// Tells the view that holds the token its new position, after compaction has moved it.
    @inlinable func moved(to position: Int) {
      view.ownedQueue.update { $0.tokenHasMoved(serial, to: position) }
    }
  }

  /// The most workers that run tasks at a time.
  @usableFromInline package let width: Int
  /// The background itself, as a view. Its tasks are not ordered behind those of other views.
  @usableFromInline package let background: View
  /// The number of workers that run a task now.
  @usableFromInline package internal(set) var busyWorkers = 0
  @usableFromInline var tokens: ReadyQueue<ReadyToken>
  /// Whether ready tokens decide the order. False while only the background has work.
  @usableFromInline var usesTokens = false
  /// The number of views, other than the background, that hold ready tokens.
  @usableFromInline var viewsWithTokens = 0
  /// Entries whose blocked callers of `sync` have been admitted and may run them. The owner of this value
  /// takes them after each call.
  @usableFromInline var admitted: [Started] = []

  /// - Parameters:
  ///   - width: The most workers that run tasks at a time. At least 1.
  ///   - agingStep: How long a head waits for each band that it climbs, in nanoseconds. At least 1.
  ///   - relocated: Called for each task of the background that compaction has moved, with its new position.
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
    tokens = ReadyQueue(agingStep: agingStep, relocated: { $0.moved(to: $1) })
  }

  // MARK: Putting in and taking back

  /// Adds `entry` to `view`, and returns the position to remove it by. Amortised O(1).
  @inlinable package mutating func submit(
    _ entry: consuming Entry, to view: View, in band: PriorityBand, isBarrier: Bool = false,
    now: () -> Int64
  ) -> Int {
    let position =
      isBarrier ? view.queue.pushBarrier(entry, in: band) : view.queue.push(entry, in: band)
    if isBarrier || !view.queue.keepsTokens(withOneMoreIn: band) { reconcile(view, now: now) }
    return position
  }

  /// Removes a waiting entry from `view`. Nil if there is none at `position`.
  @inlinable package mutating func remove(
    at position: Int, in band: PriorityBand, isBarrier: Bool, from view: View, now: () -> Int64
  ) -> Entry? {
    let removed = view.queue.remove(at: position, in: band, isBarrier: isBarrier)
    if removed != nil { reconcile(view, now: now) }
    return removed
  }

  /// Makes the slot of a waiting entry of `view` a tombstone without reading it. See ``Ring/leaveTombstone(at:)`` for
  /// what the caller must know about the entry, and what it takes over.
  ///
  /// - Returns: Whether the slot was still held.
  @inlinable package mutating func leaveTombstone(
    at position: Int, in band: PriorityBand, of view: View, now: () -> Int64
  ) -> Bool {
    let isTombstone = view.queue.leaveTombstone(at: position, in: band)
    if isTombstone { reconcile(view, now: now) }
    return isTombstone
  }

  @inlinable package mutating func suspend(_ view: View, now: () -> Int64) {
    view.queue.suspend()
    reconcile(view, now: now)
  }

  @inlinable package mutating func resume(_ view: View, now: () -> Int64) {
    if view.queue.resume() { reconcile(view, now: now) }
  }

  // MARK: Taking out

  /// Takes the task that a free worker starts next. Nil if no worker is free, or no task may start.
  @inlinable @inline(__always) package mutating func start(now: () -> Int64) -> Started? {
    guard busyWorkers < width else { return nil }
    if usesTokens || background.queue.callersWaiting > 0 { return search(now: now) }
    // No other view has work, and no caller of `sync` waits. In two steps, because of one step Swift 6.3.1
    // makes a broken module for ThreadSanitizer.
    let view = background
    let next = view.queue.takeForWorker(now: now)
    guard let next else { return nil }
    busyWorkers += 1
    dropRestingTokens()
    return Started(taken: next, view: view)
  }

  /// Finishes a task and takes the next one in a single step: what ``finish(_:now:)`` and ``start(now:)`` do
  /// one after the other. The next task takes over the share of the one that has ended.
  ///
  /// For a task of the background that a worker ran and that was no barrier.
  ///
  /// - Parameter isWanted: Whether the worker wants the next task.
  /// - Returns: Nil if the worker does not want the next task, or if anything but the background's only band
  ///   decides what is next. Then nothing has changed.
  @inlinable @inline(__always)
  package mutating func takeOver(if isWanted: (inout Entry) -> Bool) -> Entry? {
    if usesTokens { return nil }
    return background.takeInPlace(if: isWanted)
  }

  /// Finishes a task of `view`, which is not the background, and takes the view's next task in a single step.
  /// Nil if any other view has work, or if the worker does not want the next task. Then nothing has changed.
  ///
  /// Every ready token belongs to `view`. Finishing a task would add a token, if another task can start, and
  /// starting one would consume a token. So the number of tokens is unchanged, or one less if every waiting
  /// task already had one.
  @inlinable package mutating func takeOver(
    of view: View, if isWanted: (inout Entry) -> Bool
  ) -> Entry? {
    if !background.isEmpty || usesTokens && (viewsWithTokens > 1 || !view.hasTokens) { return nil }
    if let entry = view.takeBetweenTokens(if: isWanted) {
      tokens.renew()
      return entry
    }
    guard let entry = view.takeWithToken(if: isWanted) else { return nil }
    // All tokens are of one band, so taking one asks for no time.
    forget(tokens.take(now: { 0 })!)
    return entry
  }

  @inlinable @inline(never) mutating func search(now: () -> Int64) -> Started? {
    while true {
      let view: View
      if usesTokens {
        guard let token = tokens.take(now: now) else { return nil }
        view = token.view
        forget(token)
      } else {
        view = background
      }
      let time = view.queue.timeForCallers(now: now)
      if let taken = view.queue.takeForWorker(now: { time ?? now() }) {
        busyWorkers += 1
        if !usesTokens { dropRestingTokens() }
        reconcile(view, now: now)
        return Started(taken: taken, view: view)
      }
      // By aging, the entry of a blocked caller of `sync` has become the next one: it is admitted first.
      // After that this loop looks at the view again.
      let someWere = admitCallers(view, now: { time ?? now() })
      reconcile(view, now: now)
      if !someWere, !usesTokens { return nil }
    }
  }

  /// Whether ``start(now:)`` would return a task, or admit a blocked caller of `sync`.
  @inlinable @inline(__always) package func canStart(now: () -> Int64) -> Bool {
    guard busyWorkers < width else { return false }
    if usesTokens { return tokens.hasStartable }
    if background.queue.callersWaiting == 0 { return background.queue.workerMayStart }
    return background.queue.anybodyMayStart(now: now)
  }

  /// Whether ``start(now:)`` would return a task to each of two workers. While callers of `sync` wait to be
  /// admitted, this can be true although fewer tasks may start.
  @inlinable package var twoMayStart: Bool {
    guard width - busyWorkers >= 2 else { return false }
    return usesTokens ? tokens.startableCount >= 2 : background.queue.twoWorkersMayStart
  }

  /// Whether the background's medium band has a task that may be taken, as far as its queue decides.
  @inlinable package var hasMedium: Bool { background.queue.hasMedium }

  /// Lets a calling thread run its entry of `view` at once, if nothing of the view waits and the width allows
  /// it: see ``ViewQueue/enter(asBarrier:)``. No ready token changes, since a view without waiting tasks
  /// holds none.
  ///
  /// - Returns: Whether the entry runs now. If not, nothing has changed.
  @inlinable package mutating func enter(_ view: View, asBarrier isBarrier: Bool) -> Bool {
    view.queue.enter(asBarrier: isBarrier)
  }

  /// Takes the next task of `view` for a thread that is blocked in `sync` on that view. It needs no worker.
  @inlinable package mutating func startToHelp(_ view: View, now: () -> Int64) -> Started? {
    let time = view.queue.timeForCallers(now: now)
    guard let taken = view.queue.takeToHelp(now: { time ?? now() }) else {
      // By aging, the entry of a blocked caller of `sync` may have become the next one. It is admitted first,
      // and then this thread may not take a task.
      if admitCallers(view, now: { time ?? now() }) { reconcile(view, now: now) }
      return nil
    }
    reconcile(view, now: now)
    return Started(taken: taken, view: view)
  }

  /// Gives back the share of a started task that has run to its end.
  @inlinable package mutating func finish(_ share: Share, now: () -> Int64) {
    finish(share.runner, isBarrier: share.isBarrier, of: share.view, now: now)
  }

  /// Gives back the share of a task of `view` that has run to its end. For an owner that knows the view, and
  /// needs no ``Share``.
  @inlinable package mutating func finish(
    _ runner: ViewQueue<Entry>.Runner, isBarrier: Bool, of view: View, now: () -> Int64
  ) {
    view.queue.finish(runner, isBarrier: isBarrier)
    if runner == .worker { busyWorkers -= 1 }
    reconcile(view, now: now)
  }

  @inlinable package mutating func finish(_ started: Started, now: () -> Int64) {
    finish(started.share, now: now)
  }

  /// Whether ``takeAdmitted()`` would return any entry.
  @inlinable package var hasAdmitted: Bool { !admitted.isEmpty }

  /// Takes the entries whose callers of `sync` were admitted since the last call, in the order in which they
  /// were admitted.
  @inlinable package mutating func takeAdmitted() -> [Started] {
    guard !admitted.isEmpty else { return [] }
    defer { admitted = [] }
    return admitted
  }

  // MARK: Ready tokens

  @inlinable mutating func admitCallers(_ view: View, now: () -> Int64) -> Bool {
    var someWere = false
    while let taken = view.queue.takeForCaller(now: now) {
      admitted.append(Started(taken: taken, view: view))
      someWere = true
    }
    return someWere
  }

  /// Reconciles the ready tokens that `view` holds with those that it wants. O(bands), and O(tokens that
  /// change).
  @inlinable @inline(__always) package mutating func reconcile(_ view: View, now: () -> Int64) {
    let isAlone = !usesTokens && view === background && background.queue.heldTokens.isEmpty
    if isAlone, view.queue.callersWaiting == 0 { return }
    if view !== background, !view.queue.mustLookAtTokens {
      return stopUsingTokensIfAlone()
    }
    reconcileTokens(view, isAlone: isAlone, now: now)
  }

  @inlinable @inline(never)
  mutating func reconcileTokens(_ view: View, isAlone: Bool, now: () -> Int64) {
    let time = view.queue.timeForCallers(now: now)
    if time != nil { _ = admitCallers(view, now: { time ?? now() }) }
    guard !isAlone else { return }
    if let missing = view.missingTokens(now: { time ?? now() }) {
      if !usesTokens, view !== background {
        // The tasks that the background has already are older than what this view now begins to want.
        usesTokens = true
        reconcile(background, now: now)
      }
      let had = view.hasTokens
      for index in 0..<4 where missing[index] < 0 {
        for _ in missing[index]..<0 { dropNewestToken(of: view, in: PriorityBand(at: index)) }
      }
      for index in 0..<4 where missing[index] > 0 {
        for _ in 0..<missing[index] { addToken(of: view, in: PriorityBand(at: index)) }
      }
      if view !== background, view.hasTokens != had { viewsWithTokens += had ? -1 : 1 }
    }
    if view !== background { stopUsingTokensIfAlone() }
  }

  /// Stops using ready tokens if no view but the background holds any. The background's tokens stay: they
  /// keep their place and age, since a view may hold a token again soon.
  ///
  /// If they were dropped, the token of a low task would begin to age anew each time that the only task of a
  /// higher view starts. It would never win against a view that always has another task.
  @inlinable mutating func stopUsingTokensIfAlone() {
    if viewsWithTokens == 0 { usesTokens = false }
  }

  /// Drops the tokens that the background still holds, after it has started a task without one: what those
  /// tokens waited for has happened.
  @inlinable @inline(__always) mutating func dropRestingTokens() {
    if !background.queue.heldTokens.isEmpty { dropTokensOfBackground() }
  }

  @inlinable @inline(never) mutating func dropTokensOfBackground() {
    for index in 0..<4 {
      let band = PriorityBand(at: index)
      while background.queue.heldTokenCounts[index] > 0 {
        dropNewestToken(of: background, in: band)
      }
    }
  }

  @inlinable mutating func addToken(of view: View, in band: PriorityBand) {
    let serial = view.ownedQueue.update { $0.takeTokenSerial() }
    let position = tokens.push(ReadyToken(view: view, serial: serial), in: band)
    view.ownedQueue.update {
      $0.add(ViewQueue.HeldToken(serial: serial, band: band, position: position))
    }
  }

  @inlinable mutating func dropNewestToken(of view: View, in band: PriorityBand) {
    let token = view.ownedQueue.update { $0.dropNewestToken(in: band) }
    _ = tokens.remove(at: token.position, in: band)
  }

  /// Makes the view of `token` forget it, after the token has been taken out of the pool's order.
  @inlinable mutating func forget(_ token: ReadyToken) {
    let holdsMore = token.view.ownedQueue.update { $0.dropToken(token.serial) }
    if !holdsMore, token.view !== background { viewsWithTokens -= 1 }
  }
}
