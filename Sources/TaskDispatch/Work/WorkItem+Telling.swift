extension WorkItem {
  /// What is left to do when an item has its outcome: ``wakeThreads(_:)``, then ``resume(_:_:)``, then
  /// ``tell(_:_:)``. The last two may run user code.
  package struct Telling {
    /// Whether observers wait for the outcome.
    var isObserved = false
    /// Whether Tasks await the outcome.
    var hasAwaiters = false
    /// Whether a thread of its dispatcher is blocked until the item has ended. That dispatcher wakes the
    /// thread.
    package internal(set) var isAwaited = false
    /// Whether the item still holds a body, which never runs.
    var holdsBody = false
    /// Whether releasing the item may run user code: a `deinit` of its value or error, or a closure that its
    /// group holds.
    var holdsUserCode = false
    var group: WorkGroup.Emptied?

    /// Nothing is left to do, except perhaps to wake a blocked thread.
    package init(isAwaited: Bool = false) { self.isAwaited = isAwaited }

    /// Whether none of the three calls has anything to do.
    package var isNothing: Bool {
      !isObserved && !hasAwaiters && !holdsBody && !holdsUserCode && group == nil
    }
  }
}
