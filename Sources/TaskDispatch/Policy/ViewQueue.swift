/// What the policy must know about a task that waits in a view.
@usableFromInline package protocol PoolEntry {
  /// A caller stands still until it may run this itself (`sync`), so it needs no worker.
  var runsOnCaller: Bool { get }
}

/// The tasks of one view, and the rule that says which of them may start: its width and barriers.
///
/// At most `width` tasks of the view run at a time, wherever they run, and at most `workerWidth` of
/// them on workers (rule 4). A barrier starts when nothing of the view runs, and nothing starts
/// until it has finished (rule 6). While suspended, nothing starts.
///
/// A value without lock, clock or thread.
@usableFromInline package struct ViewQueue<Entry: PoolEntry>: ~Copyable {
  /// Who runs a task: that decides what it counts against.
  @usableFromInline package enum Runner: Sendable {
    /// A worker of the pool, by a turn.
    case worker
    /// The thread that waits in `sync`: its own body, or a task that it runs while it waits.
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
  /// Waiting entries that a caller will run. Zero on the path of a view that nobody waits for.
  @usableFromInline package internal(set) var callersWaiting = 0
  /// The turns that it holds in the order of the pool, whose business they are; the oldest first.
  @usableFromInline var heldTurns: [HeldTurn] = []
  /// How many of them stand in each band.
  @usableFromInline var heldTurnCounts = InlineArray<4, Int>(repeating: 0)
  @usableFromInline var nextTurn = 0

  @usableFromInline struct HeldTurn {
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
  ///   - workerWidth: The most that run on workers at a time. At least 1.
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

  /// A view of its own in the same state, to ask what would happen. O(slots).
  @inlinable package func clone() -> ViewQueue<Entry> {
    var copy = ViewQueue(width: width, workerWidth: workerWidth, agingStep: ready.agingStep)
    copy.ready = ready.clone { copy $0 }
    copy.onWorkers = onWorkers
    copy.onCallers = onCallers
    copy.runsBarrier = runsBarrier
    copy.suspensions = suspensions
    copy.callersWaiting = callersWaiting
    copy.heldTurns = heldTurns
    copy.heldTurnCounts = heldTurnCounts
    copy.nextTurn = nextTurn
    return copy
  }

  /// Tasks of the view that run now.
  @inlinable package var running: Int { onWorkers + onCallers }

  @inlinable package var isSuspended: Bool { suspensions > 0 }

  /// Whether no worker may start anything before something of it has ended.
  @inlinable var isFull: Bool { running > 0 && !isSuspended && workerRoom == 0 }

  /// How many more may start, barriers aside.
  @inlinable var room: Int { isSuspended || runsBarrier ? 0 : width - running }

  /// How many more may start on workers, barriers aside.
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

  /// Adds entries that no caller runs, none of them removed, to the medium band.
  @inlinable mutating func absorb(_ inbox: inout Ring<Entry>, isUntold: Bool) {
    ready.absorb(&inbox, alive: inbox.slotCount, in: .medium, isUntold: isUntold)
  }

  /// As ``ReadyQueue/tellPositions(in:_:)``, where there is something to tell.
  @inlinable mutating func tellPositions(_ body: (inout Entry, _ position: Int) -> Void) {
    if ready.isUntold(in: .medium) { ready.tellPositions(in: .medium, body) }
  }

  /// Lets every waiting entry that is no barrier be changed in place, without changing who runs it.
  package mutating func updateEach(_ body: (inout Entry, _ position: Int) -> Void) {
    ready.updateEach(body)
  }

  /// Removes a waiting entry. Nil if it is not there (any more).
  @inlinable package mutating func remove(at position: Int, in band: PriorityBand, isBarrier: Bool)
    -> Entry?
  {
    let removed =
      isBarrier ? ready.removeBarrier(at: position) : ready.remove(at: position, in: band)
    if let removed, removed.runsOnCaller { callersWaiting -= 1 }
    return removed
  }

  /// As ``remove(at:in:isBarrier:)`` for an entry that is no barrier and no caller's, by whoever knows that
  /// it stands there: see ``Ring/vacate(at:)``.
  @inlinable package mutating func vacate(at position: Int, in band: PriorityBand) -> Bool {
    ready.vacate(at: position, in: band)
  }

  package func holds(
    at position: Int, in band: PriorityBand, _ isMeant: (borrowing Entry) -> Bool
  ) -> Bool {
    ready.holds(at: position, in: band, isMeant)
  }

  @inlinable package mutating func suspend() { suspensions += 1 }

  /// Returns whether the view goes on.
  @inlinable package mutating func resume() -> Bool {
    require(suspensions > 0, "a queue was resumed more often than it was suspended")
    suspensions -= 1
    return suspensions == 0
  }

  // MARK: Taking out

  /// Lets a caller run its entry without having put it in, if nothing stands before it: what pushing
  /// it, in whatever band, and ``takeForCaller(now:)`` do one after the other.
  ///
  /// - Returns: Whether it runs now. If not, nothing has changed.
  @inlinable package mutating func enter(asBarrier isBarrier: Bool) -> Bool {
    guard ready.isEmpty, room > 0, !isBarrier || running == 0 else { return false }
    onCallers += 1
    runsBarrier = isBarrier
    return true
  }

  /// Takes the next task for a worker.
  ///
  /// Nil if there is none, the rule holds it back, or a caller stands next.
  @inlinable @inline(__always) package mutating func takeForWorker(now: () -> Int64) -> Taken? {
    guard workerRoom > 0 else { return nil }
    guard callersWaiting > 0 else { return take(for: .worker, now: now) }
    return takeUnlessCallerIsNext(for: .worker, now: now)
  }

  /// Takes the next task if a caller waits to run it.
  @inlinable package mutating func takeForCaller(now: () -> Int64) -> Taken? {
    guard room > 0 else { return nil }
    let time = timeForCallers(now: now)
    guard callerIsNext(now: { time ?? now() }) else { return nil }
    return take(for: .caller, now: { time ?? now() })
  }

  /// Takes the next task for a thread that waits in this view's `sync` and runs what stands before.
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

  /// Says that a task taken from here has run to its end.
  @inlinable package mutating func finish(_ runner: Runner, isBarrier: Bool) {
    switch runner {
    case .worker: onWorkers -= 1
    case .caller: onCallers -= 1
    }
    assert(onWorkers >= 0 && onCallers >= 0, "finished more than was started")
    if isBarrier { runsBarrier = false }
  }

  /// Takes the next task in the place of one that has ended on a worker and was no barrier, if that
  /// is one that `isWanted`, and nobody but workers has a say. Neither width nor barriers forbid it.
  @inlinable @inline(__always)
  mutating func takeInPlace(if isWanted: (inout Entry) -> Bool) -> Entry? {
    guard callersWaiting == 0, suspensions == 0, heldTurns.isEmpty else { return nil }
    return ready.takeOnly(if: isWanted)
  }

  /// The same, if it holds turns as well: and wants as many when it has taken one.
  @inlinable mutating func takeBetweenTurns(if isWanted: (inout Entry) -> Bool) -> Entry? {
    mayTakeBetweenTurns ? ready.takeOnly(if: isWanted) : nil
  }

  @inlinable var mayTakeBetweenTurns: Bool {
    callersWaiting == 0 && suspensions == 0 && ready.onlyStartable > heldTurns.count
  }

  /// The same, if each task that it has left holds a turn: then it wants one less.
  @inlinable mutating func takeWithTurn(if isWanted: (inout Entry) -> Bool) -> Entry? {
    // Which a suspended view has none of.
    guard callersWaiting == 0, ready.onlyStartable == heldTurns.count else { return nil }
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

  /// Whether the medium band has a task that may be taken, as far as barriers go.
  @inlinable package var hasMedium: Bool { ready.hasStartable(in: .medium) }

  /// Whether ``takeForWorker(now:)`` would return a task. Nobody may be waiting to run one.
  @inlinable @inline(__always) package var workerMayStart: Bool {
    !ready.isEmpty && workerRoom > 0 && (ready.hasStartable || running == 0)
  }

  /// Whether ``takeForWorker(now:)`` would return two tasks, one after the other. Nobody may be waiting to
  /// run one.
  @inlinable var twoWorkersMayStart: Bool { workerRoom >= 2 && ready.startableCount >= 2 }

  /// What ``takeForWorker(now:)`` would return, left in place. Nobody may be waiting to run one.
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

  /// Whether a worker, or a caller that waits, may start a task.
  @inlinable @inline(never) func anybodyMayStart(now: () -> Int64) -> Bool {
    let time = timeForCallers(now: now)
    return callerIsNext(now: { time ?? now() })
      ? room > 0 && (ready.hasStartable || running == 0) : workerMayStart
  }

  /// One reading of the clock, for a decision that would ask it more than once; nil if none would.
  ///
  /// Between two readings a head may come of age. Then a worker would get what stood next for a
  /// caller, or nobody would get it.
  @inlinable package func timeForCallers(now: () -> Int64) -> Int64? {
    callersWaiting > 0 ? now() : nil
  }

  @inlinable @inline(never) func callerIsNext(now: () -> Int64) -> Bool {
    guard callersWaiting > 0 else { return false }
    return ready.withNext(now: now) { $0.runsOnCaller }
      ?? ready.withNextBarrier { $0.runsOnCaller } ?? false
  }

  // MARK: Turns

  /// How many tasks of each band a worker may start now: what the view holds turns for. Changes
  /// nothing; but where nothing may be changed, Swift 6.3.1 copies the view to look at each band.
  ///
  /// - Complexity: O(bands).
  @inlinable package mutating func wantedTurns(now: () -> Int64) -> InlineArray<4, Int> {
    var wanted = InlineArray<4, Int>(repeating: 0)
    var left = workerRoom
    guard left > 0, callersWaiting == 0 || !callerIsNext(now: now) else { return wanted }
    if ready.startableBands == 0 {
      if running == 0, let band = nextBarrierBand { wanted[band.index] = 1 }
      return wanted
    }
    for index in 0..<4 where left > 0 {
      wanted[index] = min(left, ready.startable[index])
      left -= wanted[index]
    }
    return wanted
  }

  /// Whether an entry more in `band`, which is no barrier, surely changes nothing about the turns that it
  /// wants: it holds one for each task that a worker may start, and none that would go to a lower band.
  @inlinable @inline(__always) func keepsTurns(withOneMoreIn band: PriorityBand) -> Bool {
    guard callersWaiting == 0, heldTurns.count == workerRoom else { return false }
    return heldTurns.isEmpty || heldTurnCounts[band.index] == heldTurns.count
  }

  /// False if it surely holds no turns and wants none, nor has a caller to let run: nothing of it waits,
  /// or no worker may start any, since it is full or suspended.
  @inlinable @inline(__always) var hasBusinessWithTurns: Bool {
    callersWaiting > 0 || !heldTurns.isEmpty || !ready.isEmpty && workerRoom > 0
  }

  /// Never inlined, as ``callerIsNext(now:)``: the copy that it makes of what waits, though it changes
  /// nothing, would be made before it is known whether it is needed.
  @inlinable @inline(never) var nextBarrierBand: PriorityBand? { ready.nextBarrierBand }

  /// How many turns it wants more in each band than it holds, or fewer. Nil if it has what it wants,
  /// as most often.
  @inlinable mutating func missingTurns(now: () -> Int64) -> InlineArray<4, Int>? {
    var missing = wantedTurns(now: now)
    var isMissing = false
    for index in 0..<4 {
      missing[index] -= heldTurnCounts[index]
      if missing[index] != 0 { isMissing = true }
    }
    return isMissing ? missing : nil
  }

  /// A number for a turn that nothing else of this view has.
  @inlinable mutating func takeTurnSerial() -> Int {
    defer { nextTurn += 1 }
    return nextTurn
  }

  @inlinable mutating func hold(_ turn: HeldTurn) {
    heldTurns.append(turn)
    heldTurnCounts[turn.band.index] += 1
  }

  /// Holds the newest turn of `band`, of which there must be one, no more.
  @inlinable mutating func dropNewestTurn(in band: PriorityBand) -> HeldTurn {
    heldTurnCounts[band.index] -= 1
    return heldTurns.remove(at: heldTurns.lastIndex { $0.band == band }!)
  }

  /// Holds the turn of that number no more.
  ///
  /// - Returns: Whether it holds others.
  @inlinable mutating func dropTurn(_ serial: Int) -> Bool {
    let turn = heldTurns.remove(at: heldTurns.firstIndex { $0.serial == serial }!)
    heldTurnCounts[turn.band.index] -= 1
    return !heldTurns.isEmpty
  }

  @inlinable mutating func turnHasMoved(_ serial: Int, to position: Int) {
    // What stands in the pool's order is held.
    heldTurns[heldTurns.firstIndex { $0.serial == serial }!].position = position
  }
}
