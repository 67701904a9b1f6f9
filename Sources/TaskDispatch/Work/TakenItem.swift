internal import Synchronization

/// An item that a dispatcher has taken, and that this dispatcher alone begins and ends. For authors of dispatchers.
///
/// ``WorkItem/take()`` makes it. From then on, ``WorkItem/begin()`` is false for all other code, and
/// ``WorkItem/finish(_:)`` traps until the item has ended. A dispatcher keeps the taken item, and hands it to no code
/// outside. Copies stand for the same item.
///
/// ```
///                     ┌── begin(at:) ──▶ item.run() ──▶ Endings.end(_:_:), with what run() returned
/// item.take() ────────┤
///                     └── Endings.end(_:_:), with .cancelled, .expired or .refused
/// ```
public struct TakenItem: Sendable {
  public let item: WorkItem

  init(_ item: WorkItem) { self.item = item }

  /// Begins the item if it waits. Then call ``WorkItem/run()``, once.
  ///
  /// Any thread. For a run of a repeating timer, under the lock that guards the timer: this counts its ticks, which
  /// ``CurrentTask/missedTicks`` then tells the body.
  ///
  /// - Parameter now: The present time. Used for a run of a repeating timer only.
  /// Traps if the item is a repeating timer, which never begins: its runs do.
  ///
  /// - Returns: False if the item has begun or ended before. Then nothing has changed.
  /// - Complexity: O(1).
  public func begin(at now: DispatcherInstant) -> Bool {
    require(
      !(item is RepeatingItem),
      "\(item.name) is a repeating timer, which never begins: begin the run that comeDue(at:) has made"
    )
    guard item.beginIfItWaits() else { return false }
    (item as? RunItem)?.beginBody(at: now)
    return true
  }

  /// The repeating timer that the item is. Nil if it is of another kind than `.repeating`.
  public var asTimer: RepeatingTimer? { (item as? RepeatingItem).map(RepeatingTimer.init) }

  /// The repeating timer that the item is a run of. Nil if it is no run.
  public var timerOfRun: RepeatingTimer? { (item as? RunItem).map { RepeatingTimer($0.timer) } }
}

extension WorkItem {
  /// Takes the item for a dispatcher, which alone begins and ends it from now on. Any thread, in
  /// ``DispatcherImplementation/submit(_:)`` and ``DispatcherImplementation/submitWhenRoom(_:)``, and for items that the
  /// dispatcher makes itself. It must end each item that it has taken, in its `deinit` at the latest: else what waits for
  /// the item, or for its group, waits for ever.
  ///
  /// - Returns: Nil if a dispatcher has taken it before, or if it has begun or ended. Then the submission changes
  ///   nothing, and answers ``admissionAgain``.
  /// - Complexity: O(1). Takes no lock.
  public final func take() -> TakenItem? { markTakenOutside() ? TakenItem(self) : nil }

  /// Whether a dispatcher has taken the item: by ``take()``, or as `UVDispatcher` and `RecordingDispatcher` do. It stays
  /// so when the item has ended. Any thread.
  ///
  /// An item that waits or runs, that is taken and that a dispatcher does not have, is in another dispatcher.
  public final var isTaken: Bool { state.load(ordering: .acquiring) & Phase.isTaken != 0 }

  /// Whether the item waits or runs in a dispatcher outside of this package.
  @usableFromInline final var isOutside: Bool {
    let state = state.load(ordering: .acquiring)
    return state & Phase.isTakenOutside != 0 && state & Phase.all != Phase.finished
  }
}
