internal import Glibc

/// Stops one thread until another lets it go on. Used once.
@safe package final class Parker: @unchecked Sendable {
  // The mutex guards `isOpen`; the pointers never change.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isOpen = false

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
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
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Lets the thread go on, now or when it comes to wait. Any thread.
  package func open() {
    unsafe pthread_mutex_lock(mutex)
    isOpen = true
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Waits until ``open()`` was called. Returns false if `nanoseconds` passed first.
  ///
  /// - Parameter nanoseconds: How long to wait at most; for ever if nil.
  package func wait(nanoseconds: Int64? = nil) -> Bool {
    var deadline = timespec()
    if let nanoseconds {
      unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
      let sum = Int64(deadline.tv_nsec) + max(0, nanoseconds) % 1_000_000_000
      let seconds = max(0, nanoseconds) / 1_000_000_000 + sum / 1_000_000_000
      // The far future, and not an overflow: time_t has room for it.
      deadline.tv_sec += Int(min(seconds, 1 << 40))
      deadline.tv_nsec = Int(sum % 1_000_000_000)
    }
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while !isOpen {
      if nanoseconds == nil {
        unsafe pthread_cond_wait(condition, mutex)
      } else if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
        return isOpen
      }
    }
    return true
  }
}
