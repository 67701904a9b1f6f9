/// A view as the pool's order knows it. Belongs to the owner of the `PoolOrder`, and to its lock.
@usableFromInline package final class PoolView<Entry: PoolEntry> {
  // Kept apart from the object, whose own properties would be checked at each access.
  @usableFromInline let ownedQueue: Owned<ViewQueue<Entry>>
  @safe @exclusivity(unchecked) @usableFromInline var heldBy: AnyObject?

  /// What its owner must find again, and must not lose, while entries wait here that hold nothing
  /// themselves.
  @inlinable package var holder: AnyObject? {
    @inline(__always) get { heldBy }
    @inline(__always) set { heldBy = newValue }
  }

  /// - Parameters: as of ``ViewQueue``.
  @inlinable package init(
    width: Int, workerWidth: Int, agingStep: Int64,
    relocated: @escaping (inout Entry, Int) -> Void = { _, _ in }
  ) {
    ownedQueue = Owned(
      ViewQueue(
        width: width, workerWidth: workerWidth, agingStep: agingStep, relocated: relocated))
  }

  @inlinable package var queue: ViewQueue<Entry> {
    @inline(__always) _read { yield ownedQueue.value }
    @inline(__always) _modify { yield &ownedQueue.value }
  }

  @inlinable init(cloning original: PoolView<Entry>) {
    ownedQueue = Owned(original.queue.clone())
  }

  @inlinable func clone() -> PoolView<Entry> { PoolView(cloning: self) }

  /// As ``ViewQueue/isFull``.
  @inlinable package var isFull: Bool { ownedQueue.update { $0.isFull } }

  // By closures and not by `queue`: of that, Swift 6.3.1 makes a broken module for ThreadSanitizer.
  /// Adds everything that `inbox` holds to the medium band, and leaves `inbox` empty. The order of
  /// the pool has to be settled after that.
  ///
  /// Nothing was removed from it. O(1) if that band is empty, else O(inbox).
  @inlinable package func absorb(_ inbox: inout Ring<Entry>, isUntold: Bool) {
    ownedQueue.update { $0.absorb(&inbox, isUntold: isUntold) }
  }

  /// As ``ViewQueue/tellPositions(_:)``.
  @inlinable package func tellPositions(_ body: (inout Entry, _ position: Int) -> Void) {
    ownedQueue.update { $0.tellPositions(body) }
  }

  @inlinable @inline(__always)
  func takeInPlace(if isWanted: (inout Entry) -> Bool) -> Entry? {
    ownedQueue.update { $0.takeInPlace(if: isWanted) }
  }

  @inlinable package var mayTakeBetweenTurns: Bool {
    ownedQueue.update { $0.mayTakeBetweenTurns }
  }

  /// As ``ViewQueue/hasMedium``.
  @inlinable package var hasMedium: Bool { ownedQueue.update { $0.hasMedium } }

  @inlinable func takeBetweenTurns(if isWanted: (inout Entry) -> Bool) -> Entry? {
    ownedQueue.update { $0.takeBetweenTurns(if: isWanted) }
  }

  @inlinable func takeWithTurn(if isWanted: (inout Entry) -> Bool) -> Entry? {
    ownedQueue.update { $0.takeWithTurn(if: isWanted) }
  }

  /// As ``ViewQueue/updateEach(_:)``.
  package func updateEach(_ body: (inout Entry, _ position: Int) -> Void) {
    ownedQueue.update { $0.updateEach(body) }
  }

  /// As ``ViewQueue/missingTurns(now:)``.
  @inlinable func missingTurns(now: () -> Int64) -> InlineArray<4, Int>? {
    ownedQueue.update { $0.missingTurns(now: now) }
  }

  @inlinable var isEmpty: Bool { ownedQueue.update { $0.ready.isEmpty } }

  @inlinable var holdsTurns: Bool { ownedQueue.update { !$0.heldTurns.isEmpty } }
}
