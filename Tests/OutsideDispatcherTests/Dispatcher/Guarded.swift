import Glibc

/// A value that is reached only under its own lock.
@safe final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  // The mutex does not move, so it is allocated. The value is touched under the mutex only.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: consuming sending Value) {
    unsafe mutex = .allocate(capacity: 1)
    let status = unsafe pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init refused: \(status)")
    self.value = value
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the value, while no other thread can reach it. Any thread. Nested calls deadlock, so `body` calls
  /// no user code.
  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
