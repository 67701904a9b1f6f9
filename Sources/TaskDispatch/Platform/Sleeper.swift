/// A place where one thread sleeps until another wakes it. A wake-up reaches that thread and no other.
@safe package final class Sleeper: Sendable {
  fileprivate let bench = Bench()

  package init() {}

  /// Wakes the thread that sleeps here. The calling thread must hold no lock of a ``Monitor``.
  ///
  /// A thread may have been about to sleep here when the calling thread took the monitor's lock. It sleeps by
  /// the time that this is called, after that lock was freed, so the wake-up is not lost.
  package func wake() {
    bench.lock()
    bench.unlock()
    bench.wakeAll()
  }
}

extension Monitor {
  /// Frees the lock, waits for ``Sleeper/wake()`` or until `deadline`, and takes the lock again. It may also
  /// return early. Only while holding the lock.
  ///
  /// - Parameter deadline: Nanoseconds of the monotonic clock; for ever if nil.
  package func wait(at sleeper: Sleeper, until deadline: Int64? = nil) {
    // Taken before the gate is freed: a thread that takes the gate after this, and wakes, finds this one
    // asleep.
    sleeper.bench.lock()
    gate.unlock()
    sleeper.bench.sleep(until: deadline)
    sleeper.bench.unlock()
    gate.lock()
  }
}
