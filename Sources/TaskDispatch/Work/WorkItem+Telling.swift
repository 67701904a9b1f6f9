extension WorkItem {
  /// What is left to be done when an item has its outcome: ``wake(_:_:)``, and then ``tell(_:_:)``, which may run
  /// user code.
  package struct Telling {
    /// Observers wait for the outcome.
    var isObserved = false
    /// Tasks await the outcome.
    var hasAwaiters = false
    /// A thread of its dispatcher is blocked until the item has ended. That dispatcher wakes it.
    package internal(set) var isAwaited = false
    /// The item still holds a body, which never runs.
    var holdsBody = false
    /// To release the item may run user code: a `deinit` of its value or error, or a closure that its
    /// group holds.
    var holdsUserCode = false
    var group: WorkGroup.Emptied?

    /// Nothing is left, but that a thread may be blocked.
    package init(isAwaited: Bool = false) { self.isAwaited = isAwaited }

    /// Whether neither has anything to do.
    package var isNothing: Bool {
      !isObserved && !hasAwaiters && !holdsBody && !holdsUserCode && group == nil
    }
  }
}
