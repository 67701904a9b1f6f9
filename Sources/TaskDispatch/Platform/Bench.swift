internal import Glibc

/// A place where threads sleep until another thread wakes them: a pthread mutex and its condition variable.
@safe final class Bench: @unchecked Sendable {
  // The pointers never change. The mutex and the condition variable guard themselves.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe pthread_mutex_init(mutex, nil)
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
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(mutex) }

  func unlock() { unsafe pthread_mutex_unlock(mutex) }

  /// Blocks the calling thread until ``wakeAll()`` or until `deadline`; it may also return early. Only while
  /// holding the lock, which is free while the thread sleeps, and held again when this returns.
  func sleep(until deadline: Int64? = nil) {
    guard let deadline, deadline < .max else {
      unsafe pthread_cond_wait(condition, mutex)
      return
    }
    var time = timespec()
    time.tv_sec = Int(max(0, deadline) / 1_000_000_000)
    time.tv_nsec = Int(max(0, deadline) % 1_000_000_000)
    unsafe pthread_cond_timedwait(condition, mutex, &time)
  }

  func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}
