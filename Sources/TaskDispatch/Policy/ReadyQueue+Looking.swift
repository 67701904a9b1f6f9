/// Showing what waits, and a copy to ask what would happen. Seldom used.
extension ReadyQueue {
  /// A queue of its own with the same elements in the same order. O(slots).
  ///
  /// For asking what would happen.
  ///
  /// - Parameters:
  ///   - relocated: Told where compacting puts the copy's elements.
  ///   - replacement: What stands in the copy for an element.
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

  /// Whether what waits is taken in the order in which it arrived.
  @inlinable package var hasOneBandAndNoBarrier: Bool {
    startableBands != 0 && hasOneStartableBand && barriers.isEmpty
  }

  /// Shows the live elements of the only band that has any, in their order, until `body` wants no
  /// more.
  @inlinable package func forEachWhile(_ body: (borrowing Element) -> Bool) {
    let index = startableBands.trailingZeroBitCount
    for position in bands[index].ring.head..<bands[index].ring.tail
    where bands[index].ring.isAlive(at: position) {
      guard bands[index].ring.withElement(at: position, body) else { return }
    }
  }

  /// Shows every live element, band by band, each in order; barriers last, in their order.
  @inlinable package func forEach(_ body: (borrowing Element) -> Void) {
    forEachPosition { element, _, _ in body(element) }
  }

  /// As ``forEach(_:)``, with what ``remove(at:in:)`` or ``removeBarrier(at:)`` take.
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
