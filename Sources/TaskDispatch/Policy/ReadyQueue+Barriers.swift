extension ReadyQueue {
  /// A waiting barrier, and where it divides each band.
  @usableFromInline struct Barrier {
    /// Nil once the barrier was removed. It then stays as a tombstone until it is the first barrier. Behind
    /// an earlier barrier it makes no difference whether it is there.
    @usableFromInline var element: Element?
    @usableFromInline let band: PriorityBand
    /// The tail of each band when the barrier was pushed. Elements at lower positions stand before the
    /// barrier.
    @usableFromInline var divides: InlineArray<4, Int>
    /// The number of live elements between this barrier and the next, by band.
    @usableFromInline var behind = InlineArray<4, Int>(repeating: 0)

    @inlinable init(element: consuming Element, band: PriorityBand, divides: InlineArray<4, Int>) {
      self.element = element
      self.band = band
      self.divides = divides
    }
  }

  // MARK: Putting in

  /// Adds a barrier behind everything, and returns the position to remove it by. Amortised O(1).
  ///
  /// ``take(now:)`` never returns it; ``takeBarrier()`` does.
  @inlinable @discardableResult
  package mutating func pushBarrier(_ element: consuming Element, in band: PriorityBand) -> Int {
    var divides = InlineArray<4, Int>(repeating: 0)
    for index in 0..<4 { divides[index] = bands[index].ring.tail }
    return barriers.append(Barrier(element: element, band: band, divides: divides))
  }

  // MARK: Taking out

  /// The band of the next barrier, if everything before it has been taken. Else nil.
  @inlinable package var nextBarrierBand: PriorityBand? {
    guard startableBands == 0, !barriers.isEmpty else { return nil }
    return barriers.withElement(at: barriers.head) { $0.band }
  }

  /// Shows the next barrier to `body`, and leaves it in place. Nil if something stands before it, or there is
  /// none.
  @inlinable package func withNextBarrier<Result>(_ body: (borrowing Element) -> Result) -> Result?
  {
    guard startableBands == 0, !barriers.isEmpty else { return nil }
    return barriers.withElement(at: barriers.head) { body($0.element!) }
  }

  /// Takes the next barrier. Elements that were pushed behind it can be taken from now on.
  ///
  /// Nil if something stands before it, or there is none.
  @inlinable package mutating func takeBarrier() -> Element? {
    guard startableBands == 0, !barriers.isEmpty else { return nil }
    let element = openFirstBarrier()
    openFirstMarks()
    return element
  }

  // MARK: Taking back

  /// Removes the barrier at `position`, so that it divides nothing. Nil if it is not there. Amortised O(1).
  @inlinable package mutating func removeBarrier(at position: Int) -> Element? {
    guard barriers.isAlive(at: position) else { return nil }
    var element: Element?
    barriers.update(at: position) { element = $0.element.take() }
    guard element != nil else { return nil }
    openMarks += 1
    openFirstMarks()
    if openMarks > barriers.slotCount - openMarks + Self.deadAllowance { compactBarriers() }
    return element
  }

  /// Whether a barrier for which `isMeant` is true stands before the element at `position`. O(barriers).
  @inlinable package func isFenced(
    at position: Int, in band: PriorityBand, by isMeant: (borrowing Element) -> Bool
  ) -> Bool {
    hasBarrier(upTo: lastBarrier(before: position, band.index), where: isMeant)
  }

  /// Whether a barrier for which `isMeant` is true waits. O(barriers).
  @inlinable package func hasBarrier(where isMeant: (borrowing Element) -> Bool) -> Bool {
    hasBarrier(upTo: barriers.tail - 1, where: isMeant)
  }

  @inlinable func hasBarrier(upTo last: Int?, where isMeant: (borrowing Element) -> Bool) -> Bool {
    guard let last, last >= barriers.head else { return false }
    for position in barriers.head...last {
      let isFound = barriers.withElement(at: position) { barrier in
        guard barrier.element != nil else { return false }
        return isMeant(barrier.element!)
      }
      if isFound { return true }
    }
    return false
  }

  /// Whether an element for which `isMeant` is true precedes the one at `position`.
  ///
  /// Three kinds of element precede it: the barriers before it, all elements before those barriers, and the
  /// elements that stand behind the same barriers in a higher band, or earlier in its own band. A barrier is
  /// preceded by all that stands before it, in any band.
  ///
  /// O(slots before it + barriers), fewer if one is found.
  @inlinable package func isPreceded(
    at position: Int, in band: PriorityBand, isBarrier: Bool,
    by isMeant: (borrowing Element) -> Bool
  ) -> Bool {
    let last = isBarrier ? position - 1 : lastBarrier(before: position, band.index)
    let before = isBarrier ? position : realBarrier(upTo: last)
    let after = isBarrier ? nil : realBarrier(from: (last ?? barriers.head - 1) + 1)
    for index in 0..<4 {
      let head = bands[index].ring.head
      let end: Int
      if !isBarrier, index == band.index {
        end = position
      } else if !isBarrier, index < band.index {
        end = after.map { divide(of: $0, index) } ?? bands[index].ring.tail
      } else {
        end = before.map { divide(of: $0, index) } ?? head
      }
      for other in head..<max(head, end) where bands[index].ring.isAlive(at: other) {
        if bands[index].ring.withElement(at: other, isMeant) { return true }
      }
    }
    return hasBarrier(upTo: last, where: isMeant)
  }

  /// The newest barrier up to `last` that is no tombstone.
  @inlinable func realBarrier(upTo last: Int?) -> Int? {
    guard let last, last >= barriers.head else { return nil }
    return (barriers.head...last).last { isReal(at: $0) }
  }

  /// The oldest barrier from `first` on that is no tombstone.
  @inlinable func realBarrier(from first: Int) -> Int? {
    (first..<max(first, barriers.tail)).first { isReal(at: $0) }
  }

  @inlinable func divide(of barrier: Int, _ index: Int) -> Int {
    barriers.withElement(at: barrier) { $0.divides[index] }
  }

  @inlinable func isReal(at position: Int) -> Bool {
    barriers.withElement(at: position) { $0.element != nil }
  }

  // MARK: How the barriers divide

  /// The newest barrier that stands before the element at `position`, or nil. O(log barriers).
  @inlinable func lastBarrier(before position: Int, _ index: Int) -> Int? {
    var low = barriers.head
    var high = barriers.tail
    while low < high {
      let middle = low + (high - low) / 2
      if barriers.withElement(at: middle, { $0.divides[index] <= position }) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low > barriers.head ? low - 1 : nil
  }

  @inlinable mutating func countBehindLastBarrier(_ count: Int, _ index: Int) {
    barriers.update(at: barriers.tail - 1) { $0.behind[index] += count }
    bands[index].fenced += count
  }

  /// Removes the first barrier, and so lets the elements behind it start.
  @inlinable mutating func openFirstBarrier() -> Element? {
    let barrier = barriers.takeFirst()!
    if barriers.isEmpty { barriers.shrinkWhenEmpty() }
    for index in 0..<4 {
      bands[index].fenced -= barrier.behind[index]
      startable[index] += barrier.behind[index]
      markStartable(index)
    }
    return barrier.element
  }

  @inlinable mutating func openFirstMarks() {
    while !barriers.isEmpty, barriers.withElement(at: barriers.head, { $0.element == nil }) {
      _ = openFirstBarrier()
      openMarks -= 1
    }
  }

  /// Merges every tombstone into the barrier before it. The first barrier is never a tombstone.
  @inlinable mutating func compactBarriers() {
    var lastReal = barriers.head
    for position in barriers.head..<barriers.tail {
      if barriers.withElement(at: position, { $0.element != nil }) {
        lastReal = position
      } else {
        let mark = barriers.remove(at: position)!
        barriers.update(at: lastReal) { real in
          for index in 0..<4 { real.behind[index] += mark.behind[index] }
        }
      }
    }
    openMarks = 0
    barriers.compact { barrier, position in relocated(&barrier.element!, position) }
  }

  /// Moves each divide with the elements that it stands between. Called before the band is compacted.
  ///
  /// Compacting moves the live elements against the tail. So a divide with *n* of them behind it goes to *n*
  /// positions before the tail.
  @inlinable mutating func moveDivides(_ index: Int) {
    let tail = bands[index].ring.tail
    var alive = 0
    var position = tail
    var barrier = barriers.tail - 1
    while barrier >= barriers.head {
      let divide = barriers.withElement(at: barrier) { $0.divides[index] }
      while position > max(divide, bands[index].ring.head) {
        position -= 1
        if bands[index].ring.isAlive(at: position) { alive += 1 }
      }
      barriers.update(at: barrier) { $0.divides[index] = tail - alive }
      barrier -= 1
    }
  }
}
