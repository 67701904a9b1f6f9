/// Work that may start, in the order in which it starts.
///
/// Four bands, first in first out in each. A higher band goes first, but no band starves: the head
/// of a band *ages* from the first take that passes it over, climbs a band each aging step, and on
/// one level the head that has been passed over for longest wins (rule 7). Only heads age, so the
/// cost does not depend on how much waits.
///
/// A *barrier* divides the queue: what was pushed before it can be taken, what was pushed after it
/// cannot, until the barrier itself is taken. Whoever takes it decides when to go on.
///
/// ```
///            head                tail
///   high     ▪ ▪ ▪ ┃ ▪ ▪
///   medium   ▪     ┃               each ┃ is a barrier: one position in each band
///   low      ▪ ▫ ▪ ┃ ▪             ▫ is a dead slot, left by a removed element
/// ```
///
/// An element that may be removed is found by the position that its push returned. Removing leaves
/// a dead slot; when dead slots outnumber live ones by more than a constant, the band is compacted,
/// and `relocated` is told where each element went. Compacting keeps the newest positions and moves
/// older ones up, so positions that a poster's inbox has already given out stay right.
///
/// A value without lock, clock or thread. Both dispatchers wait in this type, so they cannot
/// disagree about order.
@usableFromInline package struct ReadyQueue<Element>: ~Copyable {
  /// What waits in one band. The head is alive, or the ring is empty.
  @usableFromInline struct Band: ~Copyable {
    @usableFromInline var ring = Ring<Element>()
    /// Live elements behind the first barrier.
    @usableFromInline var fenced = 0
    /// When a take first passed the head over, in nanoseconds; `never` if none did.
    @usableFromInline var passedOverAt = Int64.max
    /// From this position on there may be elements that have not been told theirs.
    @usableFromInline var untoldFrom = Int.max

    @inlinable init() {}
  }

  @usableFromInline var bands: InlineArray<4, Band>
  /// Live elements of each band before the first barrier. Not in the bands: where nothing may be
  /// changed, Swift 6.3.1 copies a band to look at it.
  @usableFromInline var startable = InlineArray<4, Int>(repeating: 0)
  @usableFromInline var barriers = Ring<Barrier>()
  /// Bit b: band b has an element that may be taken now.
  @usableFromInline var startableBands: UInt8 = 0
  /// Dead slots in all bands: zero on the path of a queue that never removes.
  @usableFromInline var dead = 0
  /// Barriers that were removed and still stand as marks.
  @usableFromInline var openMarks = 0
  @usableFromInline let agingStep: Int64
  @usableFromInline let relocated: (inout Element, Int) -> Void

  /// Dead slots may outnumber live ones by this many before they are compacted.
  @inlinable package static var deadAllowance: Int { 32 }
  @inlinable static var never: Int64 { .max }

  /// - Parameters:
  ///   - agingStep: Nanoseconds that a head waits, from the first take that passes it over, for
  ///     each band it climbs. At least 1.
  ///   - relocated: Told of an element that compaction moved, and its new position. Elements that
  ///     nobody will remove need not listen.
  @inlinable package init(
    agingStep: Int64, relocated: @escaping (inout Element, Int) -> Void = { _, _ in }
  ) {
    precondition(
      agingStep > 0, "an aging step lasts at least a nanosecond (agingStep: \(agingStep))")
    self.agingStep = agingStep
    self.relocated = relocated
    bands = InlineArray { _ in Band() }
  }

  // MARK: Looking

  /// Whether nothing waits, barriers included.
  @inlinable package var isEmpty: Bool { startableBands == 0 && barriers.isEmpty }

  /// Whether ``take(now:)`` would return an element.
  @inlinable package var hasStartable: Bool { startableBands != 0 }

  /// Whether `band` has an element that may be taken now.
  @inlinable package func hasStartable(in band: PriorityBand) -> Bool {
    startableBands & (1 &<< UInt8(truncatingIfNeeded: band.index)) != 0
  }

  /// Live elements that wait, those behind barriers and the barriers themselves included.
  @inlinable package var count: Int {
    var sum = barriers.slotCount - openMarks
    for index in 0..<4 { sum += startable[index] + bands[index].fenced }
    return sum
  }

  /// Dead slots held, for the test that bounds them.
  @inlinable package var deadSlots: Int { dead + openMarks }

  #if DEBUG
    /// How many slots were touched: what the tests of the "Complexity:" lines count.
    package var looks: Int { (0..<4).reduce(barriers.looks) { $0 + bands[$1].ring.looks } }
  #endif

  /// What ``take(now:)`` would return, left in place. Nil if there is nothing to take.
  @inlinable package func withNext<Result>(
    now: () -> Int64, _ body: (borrowing Element) -> Result
  ) -> Result? {
    guard startableBands != 0 else { return nil }
    let chosen = hasOneStartableBand ? startableBands.trailingZeroBitCount : choose(at: now())
    return bands[chosen].ring.withElement(at: bands[chosen].ring.head) { body($0) }
  }

  // MARK: Putting in

  /// Adds `element` behind all of its band, and returns the position to remove it by.
  ///
  /// Amortised O(1).
  @inlinable @inline(__always) @discardableResult
  package mutating func push(_ element: consuming Element, in band: PriorityBand) -> Int {
    let index = band.index
    let position = bands[index].ring.append(element)
    if barriers.isEmpty {
      startable[index] &+= 1
      startableBands |= 1 &<< UInt8(truncatingIfNeeded: index)
    } else {
      countBehindLastBarrier(1, index)
    }
    return position
  }

  /// Adds everything that `inbox` holds to `band`, and leaves `inbox` empty, with memory.
  ///
  /// Positions that appending to `inbox` returned stay valid here, unless something was pushed into
  /// this band since the last time: then all of `inbox` gets positions behind that.
  ///
  /// - Parameters:
  ///   - alive: How much of it was not removed.
  ///   - isUntold: Whether some of it has to be told its position before it can be removed: see
  ///     ``tellPositions(in:_:)``.
  /// - Complexity: O(1) if the band is empty and nothing was removed, else O(inbox).
  @inlinable package mutating func absorb(
    _ inbox: inout Ring<Element>, alive: Int, in band: PriorityBand, isUntold: Bool = false
  ) {
    let index = band.index
    let slots = inbox.slotCount
    guard slots > 0 else { return }
    defer {
      if isUntold {
        bands[index].untoldFrom = min(bands[index].untoldFrom, bands[index].ring.tail - slots)
      }
    }
    if bands[index].ring.isEmpty {
      inbox.renumber(from: bands[index].ring.tail)
      swap(&bands[index].ring, &inbox)
    } else {
      while !inbox.isEmpty { bands[index].ring.appendSlot(inbox.takeFirst()) }
      inbox.settleWhenEmpty()
    }
    inbox.rebase(at: bands[index].ring.tail)
    dead += slots - alive
    if barriers.isEmpty {
      startable[index] += alive
    } else {
      countBehindLastBarrier(alive, index)
    }
    if dead > 0 { tidy(index) }
    markStartable(index)
  }

  /// Whether ``tellPositions(in:_:)`` has something to do.
  @inlinable package func isUntold(in band: PriorityBand) -> Bool {
    bands[band.index].untoldFrom != .max
  }

  /// Shows what has not been told its position, in order, and perhaps some of what has.
  ///
  /// - Complexity: O(what came in by ``absorb(_:alive:in:isUntold:)`` or behind that since the last
  ///   call, and is still there).
  @inlinable package mutating func tellPositions(
    in band: PriorityBand, _ body: (inout Element, _ position: Int) -> Void
  ) {
    let index = band.index
    // Compacting has moved nothing below that.
    let first = max(bands[index].untoldFrom, bands[index].ring.head)
    bands[index].untoldFrom = .max
    var position = first
    while position < bands[index].ring.tail {
      if bands[index].ring.isAlive(at: position) {
        bands[index].ring.update(at: position) { body(&$0, position) }
      }
      position += 1
    }
  }

  /// Lets every live element that is no barrier be changed in place, band by band, each in order.
  package mutating func updateEach(_ body: (inout Element, _ position: Int) -> Void) {
    for index in 0..<4 {
      for position in bands[index].ring.head..<bands[index].ring.tail
      where bands[index].ring.isAlive(at: position) {
        bands[index].ring.update(at: position) { body(&$0, position) }
      }
    }
  }

  // MARK: Taking out

  /// Takes the element that starts next, or nil if there is none before the next barrier.
  ///
  /// - Parameter now: Nanoseconds on any clock that does not go back. Called only when a head is
  ///   passed over, because reading a clock costs more than the rest of a take.
  /// - Complexity: Amortised O(1).
  @inlinable @inline(__always)
  package mutating func take(now: () -> Int64) -> Element? {
    guard startableBands != 0 else { return nil }
    // One band has work: no head is passed over, so nothing ages.
    if hasOneStartableBand { return takeHead(startableBands.trailingZeroBitCount) }
    let time = now()
    let chosen = choose(at: time)
    passOver(allBut: chosen, at: time)
    return takeHead(chosen)
  }

  /// As ``take(now:)`` where no head is passed over, if the element is one that `isWanted`. Nil also
  /// if more than one band has work.
  @inlinable @inline(__always)
  package mutating func takeOnly(if isWanted: (inout Element) -> Bool) -> Element? {
    guard startableBands != 0, hasOneStartableBand else { return nil }
    let index = startableBands.trailingZeroBitCount
    guard let element = bands[index].ring.takeFirst(if: isWanted) else { return nil }
    countTaken(index)
    return element
  }

  /// How many may be taken, if they are all of one band; else 0.
  @inlinable var onlyStartable: Int {
    startableBands != 0 && hasOneStartableBand ? startable[startableBands.trailingZeroBitCount] : 0
  }

  /// How many may be taken before a barrier is.
  @inlinable var startableCount: Int {
    startable[0] + startable[1] + startable[2] + startable[3]
  }

  /// What taking the head and adding one like it do, if all are of one band: nobody passes over that.
  @inlinable mutating func renew() {
    if startableBands != 0 { bands[startableBands.trailingZeroBitCount].passedOverAt = Self.never }
  }

  @inlinable var hasOneStartableBand: Bool { startableBands & (startableBands &- 1) == 0 }

  @inlinable @inline(__always)
  mutating func takeHead(_ index: Int) -> Element {
    let element = bands[index].ring.takeFirst()!
    countTaken(index)
    return element
  }

  @inlinable @inline(__always) mutating func countTaken(_ index: Int) {
    bands[index].passedOverAt = Self.never
    startable[index] &-= 1
    if startable[index] == 0 {
      startableBands &= ~(1 &<< UInt8(truncatingIfNeeded: index))
      if bands[index].ring.isEmpty { bands[index].ring.settleWhenEmpty() }
    }
    if dead != 0 { tidy(index) }
  }

  /// The band whose head starts at `time`: the highest level, there the one passed over first.
  ///
  /// A head that no take has passed over counts as passed over last, so an aged head beats it.
  @inlinable func choose(at time: Int64) -> Int {
    var chosen = -1
    var best = (level: Int.max, since: Int64.max)
    for index in 0..<4 where startableBands & (1 << UInt8(index)) != 0 {
      let since = bands[index].passedOverAt
      let climbed = since == Self.never ? 0 : Int(min(4, max(0, time - since) / agingStep))
      let level = max(0, index - climbed)
      if chosen < 0 || (level, since) < best {
        chosen = index
        best = (level, since)
      }
    }
    return chosen
  }

  @inlinable mutating func passOver(allBut chosen: Int, at time: Int64) {
    for index in 0..<4 where index != chosen && startableBands & (1 << UInt8(index)) != 0 {
      if bands[index].passedOverAt == Self.never { bands[index].passedOverAt = time }
    }
  }

  // MARK: Taking back

  /// Removes the element at `position` in `band`, wherever it stands. Nil if it is not there.
  ///
  /// Amortised O(1); O(log barriers) if it stands behind a barrier.
  @inlinable package mutating func remove(at position: Int, in band: PriorityBand) -> Element? {
    let index = band.index
    let wasHead = position == bands[index].ring.head
    guard let element = bands[index].ring.remove(at: position) else { return nil }
    countRemoved(at: position, index, wasHead: wasHead)
    return element
  }

  /// As ``remove(at:in:)`` for whoever knows what stands there, and faster: see ``Ring/vacate(at:)``.
  @inlinable package mutating func vacate(at position: Int, in band: PriorityBand) -> Bool {
    let index = band.index
    let wasHead = position == bands[index].ring.head
    guard bands[index].ring.vacate(at: position) else { return false }
    countRemoved(at: position, index, wasHead: wasHead)
    return true
  }

  /// Whether an element that `isMeant` stands at `position`.
  package func holds(
    at position: Int, in band: PriorityBand, _ isMeant: (borrowing Element) -> Bool
  ) -> Bool {
    bands[band.index].ring.isAlive(at: position)
      && bands[band.index].ring.withElement(at: position, isMeant)
  }

  @inlinable mutating func countRemoved(at position: Int, _ index: Int, wasHead: Bool) {
    dead += 1
    if !barriers.isEmpty, let barrier = lastBarrier(before: position, index) {
      bands[index].fenced -= 1
      barriers.update(at: barrier) { $0.behind[index] -= 1 }
    } else {
      startable[index] -= 1
      // The next head begins to age anew.
      if wasHead { bands[index].passedOverAt = Self.never }
    }
    tidy(index)
    markStartable(index)
  }

  @inlinable mutating func markStartable(_ index: Int) {
    if startable[index] > 0 {
      startableBands |= 1 << UInt8(index)
    } else {
      startableBands &= ~(1 << UInt8(index))
    }
  }

  /// Drops dead slots at the head, and compacts the band if too many are left.
  @inlinable @inline(never) mutating func tidy(_ index: Int) {
    let before = bands[index].ring.slotCount
    bands[index].ring.dropDeadHead()
    // A take that emptied the ring has settled it; twice would count as a burst that used nothing.
    if before > 0, bands[index].ring.isEmpty { bands[index].ring.settleWhenEmpty() }
    let alive = startable[index] + bands[index].fenced
    if bands[index].ring.slotCount - alive > alive + Self.deadAllowance { compact(index) }
    dead -= before - bands[index].ring.slotCount
  }

  @inlinable mutating func compact(_ index: Int) {
    moveDivides(index)
    bands[index].ring.compact(moved: relocated)
  }
}
