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

/// A `pthread_mutex_t` in memory of its own. What is inlined into other modules calls this, so that
/// they need not see the C library.
@safe @usableFromInline struct RawMutex {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  @usableFromInline init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init refused: \(status)")
  }

  @usableFromInline func lock() { unsafe pthread_mutex_lock(mutex) }

  @usableFromInline func unlock() { unsafe pthread_mutex_unlock(mutex) }

  @usableFromInline func destroy() {
    let status = unsafe pthread_mutex_destroy(mutex)
    precondition(status == 0, "a lock was destroyed while it was held: \(status)")
    unsafe mutex.deallocate()
  }
}
