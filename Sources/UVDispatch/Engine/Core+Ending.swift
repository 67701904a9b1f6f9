internal import Synchronization
internal import TaskDispatch

/// Whether anything goes on.
extension Core {
  /// Whether somebody is being told of something just now. For those who are counted as
  /// ``awaitingDeliveries``.
  var isDelivering: Bool { deliveries.load(ordering: .sequentiallyConsistent) > 0 }

  /// What was left to be done is done. Without the lock.
  ///
  /// - Returns: Whether somebody has to look again for that.
  @inline(__always) func endDelivery() -> Bool {
    deliveries.subtract(1, ordering: .sequentiallyConsistent)
    return awaitingDeliveries.load(ordering: .sequentiallyConsistent) > 0
  }

  /// Somebody looks for what deliveries bring, or does so no more.
  func awaitDeliveries(_ begins: Bool) {
    awaitingDeliveries.add(begins ? 1 : -1, ordering: .sequentiallyConsistent)
  }

  /// Whether the loop can end for good: nothing is queued, and no thread makes a callback that may still
  /// bring something. Or a shutdown's deadline has passed.
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
