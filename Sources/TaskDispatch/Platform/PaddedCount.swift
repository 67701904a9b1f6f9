public import Synchronization

/// A number that only grows, on cache lines that hold nothing else. One thread at a time raises it, under a lock of the
/// owner's. Any thread may read it, and then perhaps gets an older number.
@safe @usableFromInline package struct PaddedCount: ~Copyable {
  @usableFromInline let pointer: UnsafeMutablePointer<Atomic<Int>>

  @inlinable package init() {
    let memory = unsafe allocateLines(byteCount: MemoryLayout<Atomic<Int>>.size)
    unsafe pointer = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    unsafe pointer.initialize(to: Atomic(0))
  }

  @inlinable deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  @inlinable package var value: Int { unsafe pointer.pointee.load(ordering: .relaxed) }

  /// Raises the number by one, without a locked instruction.
  @inlinable @inline(__always) package func raise() { link.raise() }

  @inlinable package var link: Link { unsafe Link(pointer: pointer) }

  /// Raises the number as well, and is no reference that is counted. The code that keeps it also keeps the owner of the
  /// number.
  @safe @usableFromInline package struct Link {
    @usableFromInline let pointer: UnsafeMutablePointer<Atomic<Int>>

    @inlinable init(pointer: UnsafeMutablePointer<Atomic<Int>>) { unsafe self.pointer = pointer }

    @inlinable @inline(__always) package func raise() {
      let next = unsafe pointer.pointee.load(ordering: .relaxed) + 1
      unsafe pointer.pointee.store(next, ordering: .relaxed)
    }
  }
}
