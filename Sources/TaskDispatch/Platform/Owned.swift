/// A value in memory of its own, for a class whose owner already ensures that only one thread at a time uses
/// it.
///
/// Swift checks each access to a stored property of a class at run time for overlapping accesses. Where a
/// lock around the whole object makes such accesses impossible, the check costs more than the access.
@safe @usableFromInline package struct Owned<Value: ~Copyable>: ~Copyable {
  @usableFromInline let pointer: UnsafeMutablePointer<Value>

  @inlinable package init(_ value: consuming Value) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: value)
  }

  /// - Parameter value: Gets cache lines that hold nothing else. For a value that many threads read and few
  ///   write, so that the readers keep their lines.
  @inlinable package init(padded value: consuming Value) {
    let memory = unsafe allocateLines(byteCount: MemoryLayout<Value>.size)
    unsafe pointer = memory.bindMemory(to: Value.self, capacity: 1)
    unsafe pointer.initialize(to: value)
  }

  @inlinable deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  @inlinable package var value: Value {
    @inline(__always) _read { yield unsafe pointer.pointee }
    @inline(__always) nonmutating _modify { yield unsafe &pointer.pointee }
  }

  /// Changes the value as well, and is no reference that is counted. The code that keeps it also keeps the owner of
  /// the value.
  @inlinable package var link: Link { unsafe Link(pointer: pointer) }

  @safe @usableFromInline package struct Link {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    @inlinable init(pointer: UnsafeMutablePointer<Value>) { unsafe self.pointer = pointer }

    @inlinable package var value: Value {
      @inline(__always) _read { yield unsafe pointer.pointee }
      @inline(__always) nonmutating _modify { yield unsafe &pointer.pointee }
    }
  }

  @inlinable @inline(__always) package func update<Result>(_ body: (inout Value) -> Result)
    -> Result
  {
    unsafe body(&pointer.pointee)
  }
}
