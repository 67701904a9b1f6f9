public import Synchronization

/// A number that only grows, and a mark, on cache lines that hold nothing else. One thread at a time changes them, under
/// a lock of the owner's. Any thread may read the number, and then perhaps gets an older one. To read the mark needs the
/// lock.
@safe @usableFromInline package struct PaddedCount: ~Copyable {
  @usableFromInline struct Words: ~Copyable {
    @usableFromInline let number = Atomic(0)
    @usableFromInline var isMarked = false

    @inlinable init() {}
  }

  @usableFromInline let pointer: UnsafeMutablePointer<Words>

  @inlinable package init() {
    let memory = unsafe allocateLines(byteCount: MemoryLayout<Words>.size)
    unsafe pointer = memory.bindMemory(to: Words.self, capacity: 1)
    unsafe pointer.initialize(to: Words())
  }

  @inlinable deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  @inlinable package var value: Int { unsafe pointer.pointee.number.load(ordering: .relaxed) }

  @inlinable package func mark(_ isMarked: Bool) { unsafe pointer.pointee.isMarked = isMarked }

  /// Raises the number by one, without a locked instruction.
  @inlinable @inline(__always) package func raise() { link.raise() }

  @inlinable package var link: Link { unsafe Link(pointer: pointer) }

  /// Raises the number and reads the mark as well, and is no reference that is counted. The code that keeps it also
  /// keeps the owner of the number.
  @safe @usableFromInline package struct Link {
    @usableFromInline let pointer: UnsafeMutablePointer<Words>

    @inlinable init(pointer: UnsafeMutablePointer<Words>) { unsafe self.pointer = pointer }

    @inlinable package var isMarked: Bool {
      @inline(__always) get { unsafe pointer.pointee.isMarked }
    }

    @inlinable @inline(__always) package func raise() {
      let next = unsafe pointer.pointee.number.load(ordering: .relaxed) + 1
      unsafe pointer.pointee.number.store(next, ordering: .relaxed)
    }
  }
}
