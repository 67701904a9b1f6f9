/// Where one thread sleeps until another wakes it, so that a wake-up reaches that thread and no other.
@safe package final class Sleeper: Sendable {
  fileprivate let bench = Bench()

  package init() {}

  /// Wakes the thread that sleeps here. Under no lock of a ``Monitor``. A thread that was about to sleep
  /// when the monitor's lock was taken sleeps by the time that this is called after it was freed.
  package func wake() {
    bench.lock()
    bench.unlock()
    bench.wakeAll()
  }
}

extension Monitor {
  /// Frees the lock until ``Sleeper/wake()``, or until `deadline`; may also come back for nothing. Only
  /// while holding the lock.
  ///
  /// - Parameter deadline: Nanoseconds of the monotonic clock; for ever if nil.
  package func wait(at sleeper: Sleeper, until deadline: Int64? = nil) {
    // Before the gate is free: a thread that takes the gate after this, and wakes, finds this one asleep.
    sleeper.bench.lock()
    gate.unlock()
    sleeper.bench.sleep(until: deadline)
    sleeper.bench.unlock()
    gate.lock()
  }
}
