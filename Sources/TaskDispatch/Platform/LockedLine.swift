/// A value and the lock that guards it, on cache lines that hold nothing else.
///
/// A thread that takes the lock then has the value in its cache as well. No thread loses the line because of
/// a write to something beside it. For a value that many threads write, each for a moment. Reading and
/// changing the value both need the lock.
@safe @usableFromInline package struct LockedLine<Value: ~Copyable>: ~Copyable {
  // The value comes first, here and in memory: ThreadSanitizer takes each change of the value for one of the
  // address where this begins.
  @usableFromInline let pointer: UnsafeMutablePointer<Value>
  @usableFromInline let gate: UnsafeMutablePointer<WordLock>

  package init(_ value: consuming Value) {
    // Aligned to 16 bytes, which is enough for the lock. The lock shares a line with a value of up to 48
    // bytes.
    let offset = (MemoryLayout<Value>.size + 15) / 16 * 16
    let memory = unsafe allocateLines(byteCount: offset + MemoryLayout<WordLock>.size)
    unsafe pointer = memory.bindMemory(to: Value.self, capacity: 1)
    unsafe pointer.initialize(to: value)
    unsafe gate = (memory + offset).bindMemory(to: WordLock.self, capacity: 1)
    unsafe gate.initialize(to: WordLock())
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe gate.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  @inlinable @inline(__always) package func lock() { unsafe gate.pointee.lock() }

  @inlinable @inline(__always) package func unlock() { unsafe gate.pointee.unlock() }

  @inlinable package var value: Value {
    @inline(__always) _read { yield unsafe pointer.pointee }
    @inline(__always) nonmutating _modify { yield unsafe &pointer.pointee }
  }
}

/// Allocates memory on cache lines that hold nothing else. Processors fetch lines in pairs.
@usableFromInline func allocateLines(byteCount: Int) -> UnsafeMutableRawPointer {
  let pair = 128
  return .allocate(byteCount: (byteCount + pair - 1) / pair * pair, alignment: pair)
}
