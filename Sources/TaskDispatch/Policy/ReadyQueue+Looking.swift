/// Shows what waits, and makes a copy to ask what would happen. Seldom used.
extension ReadyQueue {
  /// A separate queue with the same elements in the same order, to ask what would happen. O(slots).
  ///
  /// - Parameters:
  ///   - relocated: Called for each element of the copy that compaction has moved, with its new position.
  ///   - replacement: Returns the element to put into the copy for an element of this queue.
  @inlinable package func clone(
    relocated: @escaping (inout Element, Int) -> Void = { _, _ in },
    _ replacement: (borrowing Element) -> Element
  ) -> ReadyQueue<Element> {
    var copy = ReadyQueue(agingStep: agingStep, relocated: relocated)
    for index in 0..<4 {
      copy.bands[index].ring.rebase(at: bands[index].ring.head)
      for position in bands[index].ring.head..<bands[index].ring.tail {
        let isAlive = bands[index].ring.isAlive(at: position)
        copy.bands[index].ring.appendSlot(
          isAlive ? bands[index].ring.withElement(at: position) { replacement($0) } : nil)
      }
      copy.startable[index] = startable[index]
      copy.bands[index].fenced = bands[index].fenced
      copy.bands[index].passedOverAt = bands[index].passedOverAt
    }
    copy.barriers = barriers.clone()
    copy.startableBands = startableBands
    copy.dead = dead
    copy.openMarks = openMarks
    return copy
  }

  /// From the position of the head of a band to the one that the next element of it will get. O(1).
  @inlinable package func positions(in band: PriorityBand) -> Range<Int> {
    bands[band.index].ring.head..<bands[band.index].ring.tail
  }

  /// How often compaction has moved elements of a band to other positions.
  @inlinable package func compactions(in band: PriorityBand) -> Int {
    bands[band.index].compactions
  }

  /// Shows the head of each band that has one to `body`, with its position, and then the first barrier. Each of them
  /// is the element of its kind that has waited the longest. O(1).
  package func forEachHead(_ body: (borrowing Element, _ position: Int) -> Void) {
    for index in 0..<4 {
      let head = bands[index].ring.head
      guard head < bands[index].ring.tail else { continue }
      bands[index].ring.withElement(at: head) { body($0, head) }
    }
    withNextBarrier { body($0, 0) }
  }

  /// Whether the waiting elements are taken in the order in which they arrived.
  @inlinable package var hasOneBandAndNoBarrier: Bool {
    startableBands != 0 && hasOneStartableBand && barriers.isEmpty
  }

  /// Shows the live elements of the only band that has any to `body`, in their order, until `body` returns
  /// false.
  @inlinable package func forEachWhile(_ body: (borrowing Element) -> Bool) {
    let index = startableBands.trailingZeroBitCount
    for position in bands[index].ring.head..<bands[index].ring.tail
    where bands[index].ring.isAlive(at: position) {
      guard bands[index].ring.withElement(at: position, body) else { return }
    }
  }

  /// Shows every live element to `body`: band by band, each in order, and then the barriers in their order.
  @inlinable package func forEach(_ body: (borrowing Element) -> Void) {
    forEachPosition { element, _, _ in body(element) }
  }

  /// Shows every live element to `body`, in the order of ``forEach(_:)``, with the position that
  /// ``remove(at:in:)`` takes. For a barrier, it is the position that ``removeBarrier(at:)`` takes.
  @inlinable package func forEachPosition(
    _ body: (borrowing Element, _ position: Int, _ isBarrier: Bool) -> Void
  ) {
    for index in 0..<4 {
      for position in bands[index].ring.head..<bands[index].ring.tail
      where bands[index].ring.isAlive(at: position) {
        bands[index].ring.withElement(at: position) { body($0, position, false) }
      }
    }
    for position in barriers.head..<barriers.tail {
      barriers.withElement(at: position) { barrier in
        if let element = barrier.element { body(element, position, true) }
      }
    }
  }
}
