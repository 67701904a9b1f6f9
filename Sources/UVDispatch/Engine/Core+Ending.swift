internal import Synchronization
internal import TaskDispatch

/// Whether anything still goes on.
extension Core {
  /// Whether a thread makes deferred callbacks now. For parties that are counted in ``awaitingDeliveries``.
  var isDelivering: Bool { deliveries.load(ordering: .sequentiallyConsistent) > 0 }

  /// The calling thread has made its deferred callbacks. Called without the lock.
  ///
  /// - Returns: Whether the thread has to take the lock once more: see ``awaitingDeliveries``.
  @inline(__always) func endDelivery() -> Bool {
    deliveries.subtract(1, ordering: .sequentiallyConsistent)
    return awaitingDeliveries.load(ordering: .sequentiallyConsistent) > 0
  }

  /// A party begins to check for what deferred callbacks bring, or stops: see ``awaitingDeliveries``.
  func awaitDeliveries(_ begins: Bool) {
    awaitingDeliveries.add(begins ? 1 : -1, ordering: .sequentiallyConsistent)
  }

  /// Whether the loop can end for good: nothing is queued but in suspended views, nothing runs, and no thread makes a
  /// callback that may still bring work. Or a shutdown's deadline has passed.
  var hasNothingLeft: Bool {
    isPastDeadline
      || !isDelivering && outbox.isEmpty && !hasForeground
        && !running.contains { !$0.isAbandoned }
        && pool.background.queue.ready.isEmpty
        && views.allSatisfy { $0.queue.isSuspended || $0.queue.ready.isEmpty }
  }

  /// Whether nothing is left that could run now, on any thread.
  var isIdle: Bool {
    collect()
    return running.isEmpty && blocked.admitted == 0 && !isDelivering && outbox.isEmpty
      && !hasForeground && !pool.canStart(now: { [clock] in clock.now })
      && (timers.nextDeadline ?? .max) > now
  }
}
