/// A value and the lock that guards it, on cache lines in which nothing else lies: who takes the lock
/// then has the value as well, and nobody loses a line for what a neighbour has written.
///
/// For what many threads write, and each for a moment. Whoever reads or changes the value holds the
/// lock.
@safe @usableFromInline package struct LockedLine<Value: ~Copyable>: ~Copyable {
  // Apart from the value: a change of that counts as a change of all of it, for ThreadSanitizer too.
  @usableFromInline let gate: UnsafeMutablePointer<WordLock>
  @usableFromInline let pointer: UnsafeMutablePointer<Value>

  package init(_ value: consuming Value) {
    let offset = max(MemoryLayout<WordLock>.size, MemoryLayout<Value>.alignment)
    let memory = unsafe allocateLines(byteCount: offset + MemoryLayout<Value>.size)
    unsafe gate = memory.bindMemory(to: WordLock.self, capacity: 1)
    unsafe gate.initialize(to: WordLock())
    unsafe pointer = (memory + offset).bindMemory(to: Value.self, capacity: 1)
    unsafe pointer.initialize(to: value)
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe gate.deinitialize(count: 1)
    unsafe gate.deallocate()
  }

  @inlinable @inline(__always) package func lock() { unsafe gate.pointee.lock() }

  @inlinable @inline(__always) package func unlock() { unsafe gate.pointee.unlock() }

  @inlinable package var value: Value {
    @inline(__always) _read { yield unsafe pointer.pointee }
    @inline(__always) nonmutating _modify { yield unsafe &pointer.pointee }
  }
}

/// Memory on cache lines that nothing else lies in. Processors fetch them in pairs.
@usableFromInline func allocateLines(byteCount: Int) -> UnsafeMutableRawPointer {
  let pair = 128
  return .allocate(byteCount: (byteCount + pair - 1) / pair * pair, alignment: pair)
}
