/// A lock that threads can wait under until somebody has changed something.
///
/// Nobody pays for the waiting who does not wait: a thread that frees the lock wakes others only if
/// there are any. To wake them costs microseconds, and them a processor, so whoever knows that it has
/// nothing for them frees it without: ``unlock(telling:)``.
@safe @usableFromInline package final class Monitor: @unchecked Sendable {
  @usableFromInline let gate = WordLock()
  // Touched under the gate.
  @usableFromInline let waiters = Owned(0)
  private let bench = Bench()

  package init() {}

  @inlinable @inline(__always) package func lock() { gate.lock() }

  /// Whether anybody waits. Only while holding the lock.
  @inlinable package var isAwaited: Bool { @inline(__always) get { waiters.value > 0 } }

  /// Frees the lock, and lets everybody who waits look again.
  @inlinable @inline(__always) package func unlock() { unlock(telling: isAwaited) }

  /// Frees the lock, and lets everybody who waits look again if `isNews`. False only if nothing has
  /// changed for any of them.
  @inlinable @inline(__always) package func unlock(telling isNews: Bool) {
    gate.unlock()
    // Not before that: they want the lock at once.
    if isNews { wakeAll() }
  }

  /// Lets everybody who waits look again. Without the lock.
  package func tell() {
    lock()
    unlock()
  }

  /// Lets everybody who waits look again once the lock is free. For a thread that has changed
  /// something and goes on to wait itself; each time round, two of them would wake each other for
  /// ever.
  @inlinable @inline(__always) package func tellOthers() { if isAwaited { wakeAll() } }

  @usableFromInline func wakeAll() {
    bench.lock()
    bench.wakeAll()
    bench.unlock()
  }

  /// Frees the lock until somebody else has held it, or until `deadline`; may also come back for
  /// nothing. Only while holding the lock.
  ///
  /// - Parameter deadline: Nanoseconds of the monotonic clock; for ever if nil.
  package func wait(until deadline: Int64? = nil) {
    waiters.value += 1
    // Before the gate is free: whoever wakes sleepers then finds this one asleep.
    bench.lock()
    gate.unlock()
    bench.sleep(until: deadline)
    bench.unlock()
    gate.lock()
    waiters.value -= 1
  }
}
