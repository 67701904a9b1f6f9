/// A value that is reached only under its own lock.
@safe @usableFromInline package struct Locked<Value: ~Copyable>: ~Copyable {
  @usableFromInline let gate = WordLock()
  @usableFromInline let value: UnsafeMutablePointer<Value>

  @inlinable package init(_ initial: consuming sending Value) {
    unsafe value = .allocate(capacity: 1)
    unsafe value.initialize(to: initial)
  }

  @inlinable deinit {
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
  }

  /// Runs `body` with the value, while no other thread can reach it. Any thread.
  ///
  /// Not re-entrant: nested use deadlocks. So `body` must call no code that might use this value, and no user
  /// code.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try unsafe body(&value.pointee)
  }
}

// The value is moved in once, by `init`, and is reached under the lock only.
extension Locked: @unchecked Sendable where Value: ~Copyable {}
