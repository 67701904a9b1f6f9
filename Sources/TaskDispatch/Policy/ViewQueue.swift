/// What the policy must know about a task that waits in a view.
@usableFromInline package protocol PoolEntry {
  /// Whether a thread is blocked in `sync` until it may run this entry itself. Such an entry needs no worker.
  var runsOnCaller: Bool { get }
}

/// The tasks of one view, and the rule that decides which of them may start: its width and its barriers.
///
/// At most `width` tasks of the view run at a time, on whatever threads, and at most `workerWidth` of them on
/// workers (rule 4). A barrier starts when nothing of the view runs, and nothing starts until it has finished
/// (rule 6). While the view is suspended, nothing starts.
///
/// A value without lock, clock or thread.
@usableFromInline package struct ViewQueue<Entry: PoolEntry>: ~Copyable {
  /// The kind of thread that runs a task. It decides which limits the task counts against.
  @usableFromInline package enum Runner: Sendable {
    /// A worker of the pool.
    case worker
    /// A thread that is blocked in `sync`: it runs its own body, or a task before it while it waits.
    case caller
  }

  /// A task that has been taken to run.
  @usableFromInline package struct Taken {
    @usableFromInline package let entry: Entry
    @usableFromInline package let runner: Runner
    @usableFromInline package let isBarrier: Bool

    @inlinable init(entry: consuming Entry, runner: Runner, isBarrier: Bool) {
      self.entry = entry
      self.runner = runner
      self.isBarrier = isBarrier
    }
  }

  @usableFromInline package let width: Int
  @usableFromInline package let workerWidth: Int
  @usableFromInline package internal(set) var ready: ReadyQueue<Entry>
  @usableFromInline package internal(set) var onWorkers = 0
  @usableFromInline package internal(set) var onCallers = 0
  @usableFromInline package internal(set) var runsBarrier = false
  @usableFromInline package internal(set) var suspensions = 0
  /// The number of waiting entries that blocked callers of `sync` will run. Zero on the path of a view
  /// without any.
  @usableFromInline package internal(set) var callersWaiting = 0
  /// The ready tokens that the view holds in the pool's order, the oldest first. Only ``PoolOrder`` changes
  /// them.
  @usableFromInline var heldTokens: [HeldToken] = []
  /// The number of held tokens in each band.
  @usableFromInline var heldTokenCounts = InlineArray<4, Int>(repeating: 0)
  @usableFromInline var nextToken = 0

  @usableFromInline struct HeldToken {
    @usableFromInline let serial: Int
    @usableFromInline let band: PriorityBand
    @usableFromInline var position: Int

    @inlinable init(serial: Int, band: PriorityBand, position: Int) {
      self.serial = serial
      self.band = band
      self.position = position
    }
  }

  /// - Parameters:
  ///   - width: The most tasks that run at a time. At least 1.
  ///   - workerWidth: The most tasks that run on workers at a time. At least 1.
  ///   - agingStep: How long a head waits for each band that it climbs, in nanoseconds. At least 1.
  ///   - relocated: Called for each task that compaction has moved, with its new position.
  @inlinable package init(
    width: Int, workerWidth: Int, agingStep: Int64,
    relocated: @escaping (inout Entry, Int) -> Void = { _, _ in }
  ) {
    precondition(width >= 1, "a queue needs a width of at least 1 (width: \(width))")
    precondition(workerWidth >= 1, "a queue needs at least one worker (got \(workerWidth))")
    self.width = width
    self.workerWidth = min(width, workerWidth)
    ready = ReadyQueue(agingStep: agingStep, relocated: relocated)
  }

  /// A separate copy in the same state, to ask what would happen. O(slots).
  @inlinable package func clone() -> ViewQueue<Entry> {
    var copy = ViewQueue(width: width, workerWidth: workerWidth, agingStep: ready.agingStep)
    copy.ready = ready.clone { copy $0 }
    copy.onWorkers = onWorkers
    copy.onCallers = onCallers
    copy.runsBarrier = runsBarrier
    copy.suspensions = suspensions
    copy.callersWaiting = callersWaiting
    copy.heldTokens = heldTokens
    copy.heldTokenCounts = heldTokenCounts
    copy.nextToken = nextToken
    return copy
  }

  /// The number of tasks of the view that run now.
  @inlinable package var running: Int { onWorkers + onCallers }

  @inlinable package var isSuspended: Bool { suspensions > 0 }

  /// Whether no worker may start a task before a running task of the view has ended.
  @inlinable var isFull: Bool { running > 0 && !isSuspended && workerRoom == 0 }

  /// How many more tasks may start, barriers aside.
  @inlinable var room: Int { isSuspended || runsBarrier ? 0 : width - running }

  /// How many more tasks may start on workers, barriers aside.
  @inlinable package var workerRoom: Int { min(room, workerWidth - onWorkers) }

  // MARK: Putting in and taking back

  @inlinable package mutating func push(_ entry: consuming Entry, in band: PriorityBand) -> Int {
    if entry.runsOnCaller { callersWaiting += 1 }
    return ready.push(entry, in: band)
  }

  @inlinable package mutating func pushBarrier(_ entry: consuming Entry, in band: PriorityBand)
    -> Int
  {
    if entry.runsOnCaller { callersWaiting += 1 }
    return ready.pushBarrier(entry, in: band)
  }

  /// Drains `inbox` into the medium band. No entry may have been removed, and no caller of `sync` may wait
  /// for one.
  @inlinable mutating func absorb(_ inbox: inout Ring<Entry>, isUnindexed: Bool) {
    ready.absorb(&inbox, alive: inbox.slotCount, in: .medium, isUnindexed: isUnindexed)
  }

  /// Assigns positions: shows every unindexed entry of the medium band to `body`, with its position. It may
  /// show some other entries too.
  @inlinable mutating func assignPositions(_ body: (inout Entry, _ position: Int) -> Void) {
    if ready.isUnindexed(in: .medium) { ready.assignPositions(in: .medium, body) }
  }

  /// Lets `body` change every waiting entry that is no barrier in place. `body` must not change what runs the
  /// entry.
  package mutating func updateEach(_ body: (inout Entry, _ position: Int) -> Void) {
    ready.updateEach(body)
  }

  /// Removes a waiting entry. Nil if there is none at `position`.
  @inlinable package mutating func remove(at position: Int, in band: PriorityBand, isBarrier: Bool)
    -> Entry?
  {
    let removed =
      isBarrier ? ready.removeBarrier(at: position) : ready.remove(at: position, in: band)
    if let removed, removed.runsOnCaller { callersWaiting -= 1 }
    return removed
  }

  /// Makes the slot of a waiting entry a tombstone without reading it, which is faster than
  /// ``remove(at:in:isBarrier:)``. The entry must be no barrier, and no caller of `sync` may wait to run it.
  /// See ``Ring/leaveTombstone(at:)`` for what else the caller must know about the entry, and what it takes over.
  ///
  /// - Returns: Whether the slot was still held. If not, nothing has changed.
  @inlinable package mutating func leaveTombstone(at position: Int, in band: PriorityBand) -> Bool {
    ready.leaveTombstone(at: position, in: band)
  }

  package func holds(
    at position: Int, in band: PriorityBand, _ isMeant: (borrowing Entry) -> Bool
  ) -> Bool {
    ready.holds(at: position, in: band, isMeant)
  }

  @inlinable package mutating func suspend() { suspensions += 1 }

  /// Undoes one ``suspend()``. Traps if there was none.
  ///
  /// - Returns: Whether the view is not suspended any more.
  @inlinable package mutating func resume() -> Bool {
    require(suspensions > 0, "a queue was resumed more often than it was suspended")
    suspensions -= 1
    return suspensions == 0
  }

  // MARK: Taking out

  /// Lets a calling thread run its entry at once, without putting it into the queue, if nothing stands before
  /// it. This does what pushing the entry, in whatever band, and ``takeForCaller(now:)`` do one after the
  /// other.
  ///
  /// - Returns: Whether the entry runs now. If not, nothing has changed.
  @inlinable package mutating func enter(asBarrier isBarrier: Bool) -> Bool {
    guard ready.isEmpty, room > 0, !isBarrier || running == 0 else { return false }
    onCallers += 1
    runsBarrier = isBarrier
    return true
  }

  /// Takes the next task for a worker.
  ///
  /// Nil if there is none, if the rule does not let it start, or if a blocked caller of `sync` is to run it.
  @inlinable @inline(__always) package mutating func takeForWorker(now: () -> Int64) -> Taken? {
    guard workerRoom > 0 else { return nil }
    guard callersWaiting > 0 else { return take(for: .worker, now: now) }
    return takeUnlessCallerIsNext(for: .worker, now: now)
  }

  /// Takes the next task if a blocked caller of `sync` is to run it. Else nil.
  @inlinable package mutating func takeForCaller(now: () -> Int64) -> Taken? {
    guard room > 0 else { return nil }
    let time = timeForCallers(now: now)
    guard callerIsNext(now: { time ?? now() }) else { return nil }
    return take(for: .caller, now: { time ?? now() })
  }

  /// Takes the next task for a thread that is blocked in this view's `sync` and runs what stands before its
  /// own body.
  @inlinable package mutating func takeToHelp(now: () -> Int64) -> Taken? {
    guard room > 0 else { return nil }
    return takeUnlessCallerIsNext(for: .caller, now: now)
  }

  @inlinable @inline(never)
  mutating func takeUnlessCallerIsNext(for runner: Runner, now: () -> Int64) -> Taken? {
    let time = timeForCallers(now: now)
    guard !callerIsNext(now: { time ?? now() }) else { return nil }
    return take(for: runner, now: { time ?? now() })
  }

  /// Gives back the share of a task that has run to its end.
  @inlinable package mutating func finish(_ runner: Runner, isBarrier: Bool) {
    switch runner {
    case .worker: onWorkers -= 1
    case .caller: onCallers -= 1
    }
    assert(onWorkers >= 0 && onCallers >= 0, "finished more than was started")
    if isBarrier { runsBarrier = false }
  }

  /// Takes the next task in place of one that has ended on a worker and was no barrier. Neither width nor
  /// barriers forbid it.
  ///
  /// Nil if `isWanted` is false for it, or if anything but workers matters: a blocked caller of `sync`, a
  /// suspension, or a held ready token. Then nothing has changed.
  @inlinable @inline(__always)
  mutating func takeInPlace(if isWanted: (inout Entry) -> Bool) -> Entry? {
    guard callersWaiting == 0, suspensions == 0, heldTokens.isEmpty else { return nil }
    return ready.takeOnly(if: isWanted)
  }

  /// Takes the next task in place of one that has ended on a worker, for a view that holds ready tokens, if
  /// it wants as many tokens afterwards. Else nil, and nothing has changed.
  @inlinable mutating func takeBetweenTokens(if isWanted: (inout Entry) -> Bool) -> Entry? {
    mayTakeBetweenTokens ? ready.takeOnly(if: isWanted) : nil
  }

  @inlinable var mayTakeBetweenTokens: Bool {
    callersWaiting == 0 && suspensions == 0 && ready.onlyStartable > heldTokens.count
  }

  /// Takes the next task in place of one that has ended on a worker, if each waiting task holds a ready
  /// token. Afterwards the view wants one token less. Else nil, and nothing has changed.
  @inlinable mutating func takeWithToken(if isWanted: (inout Entry) -> Bool) -> Entry? {
    // A suspended view holds no tokens, and so fails this guard or has nothing to take.
    guard callersWaiting == 0, ready.onlyStartable == heldTokens.count else { return nil }
    return ready.takeOnly(if: isWanted)
  }

  @inlinable mutating func take(for runner: Runner, now: () -> Int64) -> Taken? {
    var isBarrier = false
    var next = ready.take(now: now)
    if next == nil, running == 0 {
      next = ready.takeBarrier()
      isBarrier = next != nil
    }
    guard let next else { return nil }
    if isBarrier { runsBarrier = true }
    if next.runsOnCaller { callersWaiting -= 1 }
    switch runner {
    case .worker: onWorkers += 1
    case .caller: onCallers += 1
    }
    return Taken(entry: next, runner: runner, isBarrier: isBarrier)
  }

  /// Whether the medium band has a task that may be taken, as far as barriers decide.
  @inlinable package var hasMedium: Bool { ready.hasStartable(in: .medium) }

  /// Whether ``takeForWorker(now:)`` would return a task. Only while no caller of `sync` waits.
  @inlinable @inline(__always) package var workerMayStart: Bool {
    !ready.isEmpty && workerRoom > 0 && (ready.hasStartable || running == 0)
  }

  /// Whether ``takeForWorker(now:)`` would return two tasks, one after the other. Only while no caller of
  /// `sync` waits.
  @inlinable var twoWorkersMayStart: Bool { workerRoom >= 2 && ready.startableCount >= 2 }

  /// Shows the task that ``takeForWorker(now:)`` would return to `body`, and leaves it in place. Only while
  /// no caller of `sync` waits.
  @inlinable package func withNext<Result>(
    now: () -> Int64, _ body: (borrowing Entry) -> Result
  ) -> Result? {
    guard workerRoom > 0 else { return nil }
    return ready.withNext(now: now, body) ?? (running == 0 ? ready.withNextBarrier(body) : nil)
  }

  /// Whether ``takeToHelp(now:)`` would return a task.
  @inlinable package func helperMayStart(now: () -> Int64) -> Bool {
    guard !ready.isEmpty, room > 0, ready.hasStartable || running == 0 else { return false }
    return !callerIsNext(now: now)
  }

  /// Whether a worker or a blocked caller of `sync` may start a task.
  @inlinable @inline(never) func anybodyMayStart(now: () -> Int64) -> Bool {
    let time = timeForCallers(now: now)
    return callerIsNext(now: { time ?? now() })
      ? room > 0 && (ready.hasStartable || running == 0) : workerMayStart
  }

  /// One reading of the clock, for a decision that would otherwise read it more than once. Nil if the
  /// decision needs no time.
  ///
  /// Between two readings a head may age. Then a worker could take an entry that a blocked caller of `sync`
  /// is to run, or no thread would take it.
  @inlinable package func timeForCallers(now: () -> Int64) -> Int64? {
    callersWaiting > 0 ? now() : nil
  }

  @inlinable @inline(never) func callerIsNext(now: () -> Int64) -> Bool {
    guard callersWaiting > 0 else { return false }
    return ready.withNext(now: now) { $0.runsOnCaller }
      ?? ready.withNextBarrier { $0.runsOnCaller } ?? false
  }
}
