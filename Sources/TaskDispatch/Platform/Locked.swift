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

  /// Runs `body` with the value, and no other thread inside. Not re-entrant: nested use deadlocks,
  /// so `body` must call nobody else's code.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try unsafe body(&value.pointee)
  }
}

// The value is reached under the lock only, and moves in once, in `init`.
extension Locked: @unchecked Sendable where Value: ~Copyable {}
