/// A lock that threads can wait under until somebody has changed something.
///
/// Nobody pays for the waiting who does not wait: a thread that frees the lock wakes others only if
/// there are any.
@safe @usableFromInline package final class Monitor: @unchecked Sendable {
  @usableFromInline let gate = WordLock()
  // Touched under the gate.
  @usableFromInline let waiters = Owned(0)
  private let bench = Bench()

  package init() {}

  @inlinable @inline(__always) package func lock() { gate.lock() }

  /// Frees the lock, and lets everybody who waits look again.
  @inlinable @inline(__always) package func unlock() {
    let areWaiting = waiters.value > 0
    gate.unlock()
    // Not before that: they want the lock at once.
    if areWaiting { wakeAll() }
  }

  /// Lets everybody who waits look again once the lock is free. For a thread that has changed
  /// something and goes on to wait itself; each time round, two of them would wake each other for
  /// ever.
  @inlinable @inline(__always) package func tellOthers() { if waiters.value > 0 { wakeAll() } }

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
