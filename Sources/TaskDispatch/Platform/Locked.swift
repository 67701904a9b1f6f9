internal import Glibc

/// A value that is reached only under its own lock.
///
/// Built on `pthread_mutex_t` because ThreadSanitizer recognises it. It does not recognise the
/// standard library's `Mutex` on Linux, reports a race on every value that one guards, and that one
/// collapses under contention.
@safe @usableFromInline package struct Locked<Value: ~Copyable>: ~Copyable {
  @usableFromInline let mutex: RawMutex
  @usableFromInline let value: UnsafeMutablePointer<Value>

  @inlinable package init(_ initial: consuming sending Value) {
    mutex = RawMutex()
    unsafe value = .allocate(capacity: 1)
    unsafe value.initialize(to: initial)
  }

  @inlinable deinit {
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
    mutex.destroy()
  }

  /// Runs `body` with the value, and no other thread inside. Not re-entrant: nested use deadlocks,
  /// so `body` must call nobody else's code.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value.pointee)
  }
}

// The value is reached under the mutex only, and moves in once, in `init`.
extension Locked: @unchecked Sendable where Value: ~Copyable {}

/// A `pthread_mutex_t` in memory of its own, which its owner destroys. What is inlined into other
/// modules calls this, so that they need not see the C library.
@safe @usableFromInline package struct RawMutex {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe initializeAdaptive(mutex)
    precondition(status == 0, "pthread_mutex_init refused: \(status)")
  }

  @usableFromInline package func lock() { unsafe pthread_mutex_lock(mutex) }

  @usableFromInline package func unlock() { unsafe pthread_mutex_unlock(mutex) }

  @usableFromInline package func destroy() {
    let status = unsafe pthread_mutex_destroy(mutex)
    precondition(status == 0, "a lock was destroyed while it was held: \(status)")
    unsafe mutex.deallocate()
  }
}

/// Makes a mutex that tries for a moment before it sleeps: what is done under our locks is shorter
/// than the way into the kernel and back.
func initializeAdaptive(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> CInt {
  var attributes = pthread_mutexattr_t()
  unsafe pthread_mutexattr_init(&attributes)
  defer { unsafe pthread_mutexattr_destroy(&attributes) }
  unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
  return unsafe pthread_mutex_init(mutex, &attributes)
}
