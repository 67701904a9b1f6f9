internal import Glibc

/// A lock that threads can wait under until somebody has changed something.
///
/// Nobody pays for the waiting who does not wait: a thread that frees the lock wakes others only if
/// there are any.
@safe package final class Monitor: @unchecked Sendable {
  // The pointers never change; `waiters` is touched under the mutex.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var waiters = 0

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe initializeAdaptive(mutex)
    precondition(status == 0, "pthread_mutex_init refused: \(status)")
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    // A time-out must not move with the wall clock.
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
    let status = unsafe pthread_mutex_destroy(mutex)
    precondition(status == 0, "a monitor was destroyed while it was held: \(status)")
    unsafe mutex.deallocate()
  }

  package func lock() { unsafe pthread_mutex_lock(mutex) }

  /// Frees the lock, and lets everybody who waits look again.
  package func unlock() {
    if waiters > 0 { unsafe pthread_cond_broadcast(condition) }
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Lets everybody who waits look again once the lock is free. For a thread that has changed
  /// something and goes on to wait itself; each time round, two of them would wake each other for
  /// ever.
  package func tellOthers() {
    if waiters > 0 { unsafe pthread_cond_broadcast(condition) }
  }

  /// Frees the lock until somebody else has held it, or until `deadline`; may also come back for
  /// nothing. Only while holding the lock.
  ///
  /// - Parameter deadline: Nanoseconds of the monotonic clock; for ever if nil.
  package func wait(until deadline: Int64? = nil) {
    waiters += 1
    defer { waiters -= 1 }
    guard let deadline, deadline < .max else {
      unsafe pthread_cond_wait(condition, mutex)
      return
    }
    var time = timespec()
    time.tv_sec = Int(max(0, deadline) / 1_000_000_000)
    time.tv_nsec = Int(max(0, deadline) % 1_000_000_000)
    unsafe pthread_cond_timedwait(condition, mutex, &time)
  }
}

/// Nanoseconds of the clock that neither jumps nor stands still while the process is stopped.
package func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
