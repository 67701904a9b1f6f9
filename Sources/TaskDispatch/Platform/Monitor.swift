/// A lock under which threads can wait until another thread has changed something.
///
/// A thread that frees the lock wakes waiting threads only if there are any, so it pays nothing if there are
/// none. Waking them costs microseconds, and costs them a processor. A thread that knows that it has changed
/// nothing for them can free the lock without waking: ``unlock(telling:)``.
@safe @usableFromInline package final class Monitor: @unchecked Sendable {
  @usableFromInline let gate = WordLock()
  // Guarded by the gate.
  @usableFromInline let waiters = Owned(0)
  private let bench = Bench()

  package init() {}

  @inlinable @inline(__always) package func lock() { gate.lock() }

  /// Whether a thread waits. Only while holding the lock.
  @inlinable package var isAwaited: Bool { @inline(__always) get { waiters.value > 0 } }

  /// Frees the lock, and wakes all waiting threads to re-check.
  @inlinable @inline(__always) package func unlock() { unlock(telling: isAwaited) }

  /// Frees the lock, and wakes all waiting threads to re-check if `isNews`. Pass false only if nothing has
  /// changed for any of them.
  @inlinable @inline(__always) package func unlock(telling isNews: Bool) {
    gate.unlock()
    // Woken only after the gate is free, because they take the lock at once.
    if isNews { wakeAll() }
  }

  /// Wakes all waiting threads to re-check. The calling thread must not hold the lock.
  package func tell() {
    lock()
    unlock()
  }

  /// Wakes all waiting threads to re-check once the lock is free. Only while holding the lock.
  ///
  /// For a thread that has changed something and then waits itself. If it did this in every round, two such
  /// threads would wake each other for ever.
  @inlinable @inline(__always) package func tellOthers() { if isAwaited { wakeAll() } }

  @usableFromInline func wakeAll() {
    bench.lock()
    bench.wakeAll()
    bench.unlock()
  }

  /// Frees the lock, waits until another thread wakes this one or until `deadline`, and takes the lock again.
  /// It may also return early. Only while holding the lock.
  package func wait(until deadline: Int64? = nil) {
    waiters.value += 1
    // Taken before the gate is freed: a thread that then wakes the sleepers finds this one asleep.
    bench.lock()
    gate.unlock()
    bench.sleep(until: deadline)
    bench.unlock()
    gate.lock()
    waiters.value -= 1
  }
}
