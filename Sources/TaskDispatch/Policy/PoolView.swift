/// The scheduling state of a view, as the pool's order knows it. The owner of the `PoolOrder` owns it, and
/// guards it with its lock.
@usableFromInline package final class PoolView<Entry: PoolEntry> {
  // Kept outside the object: Swift checks properties of an object at each access.
  @usableFromInline let ownedQueue: Owned<ViewQueue<Entry>>
  @safe @exclusivity(unchecked) @usableFromInline var heldBy: AnyObject?

  /// A strong reference to the owning view while plain tasks wait here, which hold none themselves. Nil
  /// otherwise.
  @inlinable package var holder: AnyObject? {
    @inline(__always) get { heldBy }
    @inline(__always) set { heldBy = newValue }
  }

  /// - Parameters:
  ///   - width: The most tasks that run at a time. At least 1.
  ///   - workerWidth: The most that run on workers at a time. At least 1.
  ///   - agingStep: How long a head waits for each band that it climbs, in nanoseconds. At least 1.
  ///   - relocated: Called for each task that compaction has moved, with its new position.
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

  /// Whether no worker may start a task before a running task of the view has ended.
  @inlinable package var isFull: Bool { ownedQueue.update { $0.isFull } }

  // By closures and not by `queue`: of that, Swift 6.3.1 makes a broken module for ThreadSanitizer.
  /// Drains `inbox` into the medium band. After that, the owner has to reconcile the ready tokens.
  ///
  /// No entry of `inbox` may have been removed. O(1) if the medium band is empty, else O(inbox).
  ///
  /// - Parameter isUnindexed: Whether some entries have to be assigned their positions before they can be
  ///   removed: see ``assignPositions(_:)``.
  @inlinable package func absorb(_ inbox: inout Ring<Entry>, isUnindexed: Bool) {
    ownedQueue.update { $0.absorb(&inbox, isUnindexed: isUnindexed) }
  }

  /// The positions of the medium band: see ``ReadyQueue/positions(in:)``.
  @inlinable package var positionsOfMedium: Range<Int> {
    ownedQueue.update { $0.ready.positions(in: .medium) }
  }

  @inlinable package var compactionsOfMedium: Int {
    ownedQueue.update { $0.ready.compactions(in: .medium) }
  }

  /// Assigns positions: shows every unindexed entry of the medium band to `body`, with its position. It may
  /// show some other entries too.
  @inlinable package func assignPositions(_ body: (inout Entry, _ position: Int) -> Void) {
    ownedQueue.update { $0.assignPositions(body) }
  }

  @inlinable @inline(__always)
  func takeInPlace(if isWanted: (inout Entry) -> Bool) -> Entry? {
    ownedQueue.update { $0.takeInPlace(if: isWanted) }
  }

  @inlinable package var mayTakeBetweenTokens: Bool {
    ownedQueue.update { $0.mayTakeBetweenTokens }
  }

  /// Whether the medium band has a task that may be taken, as far as barriers decide.
  @inlinable package var hasMedium: Bool { ownedQueue.update { $0.hasMedium } }

  @inlinable func takeBetweenTokens(if isWanted: (inout Entry) -> Bool) -> Entry? {
    ownedQueue.update { $0.takeBetweenTokens(if: isWanted) }
  }

  @inlinable func takeWithToken(if isWanted: (inout Entry) -> Bool) -> Entry? {
    ownedQueue.update { $0.takeWithToken(if: isWanted) }
  }

  /// Lets `body` change every waiting entry that is no barrier in place. `body` must not change what runs the
  /// entry.
  package func updateEach(_ body: (inout Entry, _ position: Int) -> Void) {
    ownedQueue.update { $0.updateEach(body) }
  }

  /// How many ready tokens the view wants in each band beyond those that it holds; negative if it wants
  /// fewer. Nil if it holds what it wants.
  @inlinable func missingTokens(now: () -> Int64) -> InlineArray<4, Int>? {
    ownedQueue.update { $0.missingTokens(now: now) }
  }

  @inlinable var isEmpty: Bool { ownedQueue.update { $0.ready.isEmpty } }

  @inlinable var hasTokens: Bool { ownedQueue.update { !$0.heldTokens.isEmpty } }
}
