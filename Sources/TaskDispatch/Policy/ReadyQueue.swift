/// Work that may start, in the order in which it starts.
///
/// There are four bands, each first in first out. A higher band goes first, but no band starves: the head of
/// a band *ages* from the first take that passes it over. It climbs one band each aging step. On one level,
/// the head that was passed over first wins (rule 7). Only heads age, so the cost does not depend on how much
/// waits.
///
/// A *barrier* divides the queue. Elements pushed before it can be taken. Elements pushed after it cannot,
/// until the barrier itself is taken. The owner of the queue decides when to take it.
///
/// ```
///            head                tail
///   high     ▪ ▪ ▪ ┃ ▪ ▪
///   medium   ▪     ┃               each ┃ is a barrier: one position in each band
///   low      ▪ ▫ ▪ ┃ ▪             ▫ is a tombstone, left by a removed element
/// ```
///
/// An element is removed by the position that its push returned. Removing leaves a tombstone. When tombstones
/// outnumber live elements by more than a constant, the band is compacted, and `relocated` is called with the
/// new position of each element. Compacting keeps the newest positions and moves older elements up, so
/// positions that an inbox has already assigned stay right.
///
/// A value without lock, clock or thread. Both dispatchers wait in this type, so they cannot disagree about
/// order.
@usableFromInline package struct ReadyQueue<Element>: ~Copyable {
  /// The elements of one band. The head is alive, or the ring is empty.
  @usableFromInline struct Band: ~Copyable {
    @usableFromInline var ring = Ring<Element>()
    /// The number of live elements behind the first barrier.
    @usableFromInline var fenced = 0
    /// The time of the first take that passed the head over, in nanoseconds. `never` if none did.
    @usableFromInline var passedOverAt = Int64.max
    /// From this position on there may be unindexed elements: they have not been assigned their positions.
    @usableFromInline var unindexedFrom = Int.max
    /// How often elements were moved to other positions.
    @usableFromInline var compactions = 0

    @inlinable init() {}
  }

  @usableFromInline var bands: InlineArray<4, Band>
  /// The number of live elements of each band before the first barrier. Stored outside the bands, because
  /// Swift 6.3.1 copies a band to read it in a function that changes nothing.
  @usableFromInline var startable = InlineArray<4, Int>(repeating: 0)
  @usableFromInline var barriers = Ring<Barrier>()
  /// Bit b: band b has an element that may be taken now.
  @usableFromInline var startableBands: UInt8 = 0
  /// The number of tombstones in all bands. Zero on the path of a queue that never removes.
  @usableFromInline var dead = 0
  /// The number of barriers that were removed and still stand as tombstones.
  @usableFromInline var openMarks = 0
  @usableFromInline let agingStep: Int64
  @usableFromInline let relocated: (inout Element, Int) -> Void

  /// Tombstones may outnumber live elements by this many before they are compacted.
  @inlinable package static var deadAllowance: Int { 32 }
  @inlinable static var never: Int64 { .max }

  /// - Parameters:
  ///   - agingStep: How long a head waits for each band that it climbs, counted from the first take that
  ///     passes it over. In nanoseconds. At least 1.
  ///   - relocated: Called for each element that compaction has moved, with its new position. It may ignore
  ///     elements that are never removed.
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

  /// The number of live elements, including those behind barriers and the barriers themselves.
  @inlinable package var count: Int {
    var sum = barriers.slotCount - openMarks
    for index in 0..<4 { sum += startable[index] + bands[index].fenced }
    return sum
  }

  /// The number of tombstones, for the test that bounds it.
  @inlinable package var deadSlots: Int { dead + openMarks }

  #if DEBUG
    /// How many slots were touched: the tests of the "Complexity:" lines count them.
    package var looks: Int { (0..<4).reduce(barriers.looks) { $0 + bands[$1].ring.looks } }
  #endif

  /// Shows the element that ``take(now:)`` would return to `body`, and leaves it in place. Nil if there is
  /// none to take.
  @inlinable package func withNext<Result>(
    now: () -> Int64, _ body: (borrowing Element) -> Result
  ) -> Result? {
    guard startableBands != 0 else { return nil }
    let chosen = hasOneStartableBand ? startableBands.trailingZeroBitCount : choose(at: now())
    return bands[chosen].ring.withElement(at: bands[chosen].ring.head) { body($0) }
  }

  // MARK: Putting in

  /// Adds `element` behind all of its band, and returns the position to remove it by. Amortised O(1).
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

  /// Drains `inbox` into `band`. `inbox` is empty afterwards, and has memory.
  ///
  /// Positions that appending to `inbox` returned stay valid here, unless something was pushed into this band
  /// since the last drain. In that case all elements of `inbox` get positions behind what was pushed.
  ///
  /// - Parameters:
  ///   - alive: How many elements of `inbox` were not removed.
  ///   - isUnindexed: Whether some elements have to be assigned their positions before they can be removed: see
  ///     ``assignPositions(in:_:)``.
  /// - Complexity: O(1) if the band is empty and nothing was removed, else O(inbox).
  @inlinable package mutating func absorb(
    _ inbox: inout Ring<Element>, alive: Int, in band: PriorityBand, isUnindexed: Bool = false
  ) {
    let index = band.index
    let slots = inbox.slotCount
    guard slots > 0 else { return }
    defer {
      if isUnindexed {
        bands[index].unindexedFrom = min(bands[index].unindexedFrom, bands[index].ring.tail - slots)
      }
    }
    if bands[index].ring.isEmpty {
      inbox.renumber(from: bands[index].ring.tail)
      swap(&bands[index].ring, &inbox)
    } else {
      while !inbox.isEmpty { bands[index].ring.appendSlot(inbox.takeFirst()) }
      inbox.shrinkWhenEmpty()
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

  /// Whether there may be unindexed elements, so that ``assignPositions(in:_:)`` has something to do.
  @inlinable package func isUnindexed(in band: PriorityBand) -> Bool {
    bands[band.index].unindexedFrom != .max
  }

  /// Assigns positions: shows every unindexed element of `band` to `body`, in order, with its position. It
  /// may show some other elements too.
  ///
  /// - Complexity: O(what came in by ``absorb(_:alive:in:isUnindexed:)`` or behind that since the last call, and
  ///   is still there).
  @inlinable package mutating func assignPositions(
    in band: PriorityBand, _ body: (inout Element, _ position: Int) -> Void
  ) {
    let index = band.index
    // Compacting has moved no unindexed element below this position.
    let first = max(bands[index].unindexedFrom, bands[index].ring.head)
    bands[index].unindexedFrom = .max
    var position = first
    while position < bands[index].ring.tail {
      if bands[index].ring.isAlive(at: position) {
        bands[index].ring.update(at: position) { body(&$0, position) }
      }
      position += 1
    }
  }

  /// Lets `body` change every live element that is no barrier in place: band by band, each in order.
  package mutating func updateEach(_ body: (inout Element, _ position: Int) -> Void) {
    for index in 0..<4 {
      for position in bands[index].ring.head..<bands[index].ring.tail
      where bands[index].ring.isAlive(at: position) {
        bands[index].ring.update(at: position) { body(&$0, position) }
      }
    }
  }

  // MARK: Taking out

  /// Takes the element that starts next. Nil if there is none before the next barrier.
  ///
  /// - Parameter now: Nanoseconds on any clock that does not go back. Called only when a head is passed over,
  ///   because reading a clock costs more than the rest of a take.
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

  /// Takes the element that starts next, if `isWanted` is true for it and only one band has work. Else nil,
  /// and nothing has changed. No head is passed over, so this needs no time.
  @inlinable @inline(__always)
  package mutating func takeOnly(if isWanted: (inout Element) -> Bool) -> Element? {
    guard startableBands != 0, hasOneStartableBand else { return nil }
    let index = startableBands.trailingZeroBitCount
    guard let element = bands[index].ring.takeFirst(if: isWanted) else { return nil }
    countTaken(index)
    return element
  }

  /// How many elements may be taken, if they are all of one band; else 0.
  @inlinable var onlyStartable: Int {
    startableBands != 0 && hasOneStartableBand ? startable[startableBands.trailingZeroBitCount] : 0
  }

  /// How many elements may be taken before the next barrier.
  @inlinable var startableCount: Int {
    startable[0] + startable[1] + startable[2] + startable[3]
  }

  /// Has the effect of taking the head and adding one like it, if all elements are of one band: no take
  /// passes over the new head.
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
      if bands[index].ring.isEmpty { bands[index].ring.shrinkWhenEmpty() }
    }
    if dead != 0 { tidy(index) }
  }

  /// The band whose head starts at `time`: the one on the highest level. On one level, the head that was
  /// passed over first.
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

  /// Makes the slot at `position` a tombstone without reading it, which is faster than ``remove(at:in:)``.
  /// See ``Ring/leaveTombstone(at:)`` for what the caller must know about the element, and what it takes over.
  ///
  /// - Returns: Whether the slot was still held. If not, nothing has changed.
  @inlinable package mutating func leaveTombstone(at position: Int, in band: PriorityBand) -> Bool {
    let index = band.index
    let wasHead = position == bands[index].ring.head
    guard bands[index].ring.leaveTombstone(at: position) else { return false }
    countRemoved(at: position, index, wasHead: wasHead)
    return true
  }

  /// Whether an element for which `isMeant` is true stands at `position`.
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

  /// Drops tombstones at the head, and compacts the band if too many are left.
  @inlinable @inline(never) mutating func tidy(_ index: Int) {
    let before = bands[index].ring.slotCount
    bands[index].ring.dropDeadHead()
    // A take that emptied the ring has adjusted its memory already. A second call would count as a burst that
    // used nothing.
    if before > 0, bands[index].ring.isEmpty { bands[index].ring.shrinkWhenEmpty() }
    let alive = startable[index] + bands[index].fenced
    if bands[index].ring.slotCount - alive > alive + Self.deadAllowance { compact(index) }
    dead -= before - bands[index].ring.slotCount
  }

  @inlinable mutating func compact(_ index: Int) {
    moveDivides(index)
    bands[index].ring.compact(moved: relocated)
    bands[index].compactions &+= 1
  }
}
