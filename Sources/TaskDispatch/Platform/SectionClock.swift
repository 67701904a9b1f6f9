/// The time in a section of a lock. The first request reads the monotonic clock, and that reading counts
/// until it is forgotten.
///
/// It holds no counted reference, so a closure that captures it costs nothing.
@safe @usableFromInline package struct SectionClock {
  // The owner of this clock keeps the memory that this points to, and touches it under that lock.
  @usableFromInline let known: UnsafeMutablePointer<Int64>
  /// Which time of the monotonic clock counts as zero.
  @usableFromInline package let origin: Int64

  @inlinable package static var unknown: Int64 { .min }

  /// - Parameter known: Where the time is kept; ``unknown`` at first. Must outlive this.
  package init(keptIn known: borrowing Owned<Int64>, origin: Int64) {
    unsafe self.known = known.pointer
    self.origin = origin
  }

  @inlinable @inline(__always) package var now: Int64 {
    let time = unsafe known.pointee
    return time == Self.unknown ? read() : time
  }

  @usableFromInline @inline(never) func read() -> Int64 {
    let time = monotonicNanoseconds() - origin
    unsafe known.pointee = time
    return time
  }

  @inlinable @inline(__always) package var isKnown: Bool {
    unsafe known.pointee != Self.unknown
  }

  /// Makes the next request read the clock again, since time may have passed.
  @inlinable @inline(__always) package func forget() { unsafe known.pointee = Self.unknown }
}
