internal import Glibc

/// Elements in contiguous memory that grows and is never shared, found by their index.
///
/// An array would check at each access whether its memory is shared, and whether the index is valid. The
/// owner of this buffer keeps valid indices of its own. It grows as a ``Ring`` does, and with the same limit:
/// elements must not hold a weak reference directly.
@safe @usableFromInline package struct GrowableBuffer<Element>: ~Copyable {
  /// Initialised exactly at the indices below `count`.
  @usableFromInline var elements: UnsafeMutablePointer<Element>?
  @usableFromInline package internal(set) var count = 0
  @usableFromInline var capacity = 0

  @inlinable package init() { unsafe elements = nil }

  deinit {
    unsafe elements?.deinitialize(count: count)
    unsafe free(elements)
  }

  @inlinable package var isEmpty: Bool { count == 0 }

  /// The element at `index`, which must be below ``count``. Only debug builds check that.
  @inlinable package subscript(index: Int) -> Element {
    @inline(__always) _read {
      assert(index >= 0 && index < count, "no element at \(index) of \(count)")
      yield unsafe elements![index]
    }
    @inline(__always) _modify {
      assert(index >= 0 && index < count, "no element at \(index) of \(count)")
      yield unsafe &elements![index]
    }
  }

  /// Adds `element` at the end. Amortised O(1).
  @inlinable @inline(__always) package mutating func append(_ element: consuming Element) {
    if count == capacity { grow() }
    unsafe (elements! + count).initialize(to: element)
    count &+= 1
  }

  /// Removes the last element. The buffer must not be empty.
  @inlinable @inline(__always) package mutating func removeLast() -> Element {
    assert(count > 0, "took from an empty buffer")
    count &-= 1
    return unsafe (elements! + count).move()
  }

  @usableFromInline @inline(never) mutating func grow() {
    let grown = max(16, capacity * 2)
    let bytes = grown * MemoryLayout<Element>.stride
    precondition(
      MemoryLayout<Element>.alignment <= 16, "malloc aligns to 16 bytes, and no further")
    guard let memory = unsafe realloc(elements, bytes) else {
      fatalError("no memory for \(grown) elements (\(bytes) bytes)")
    }
    unsafe elements = memory.assumingMemoryBound(to: Element.self)
    capacity = grown
  }
}
