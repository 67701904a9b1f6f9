/// The time in a section of a lock: the monotonic clock is read when it is first asked for, and that is
/// the time until it is forgotten.
///
/// It refers to nobody who is counted, so a closure that holds it costs nothing.
@safe @usableFromInline package struct SectionClock {
  // Whoever made this keeps what it points to, and touches it under that lock.
  @usableFromInline let known: UnsafeMutablePointer<Int64>
  /// Which time of the monotonic clock counts as zero.
  @usableFromInline let origin: Int64

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

  /// Time may have passed.
  @inlinable @inline(__always) package func forget() { unsafe known.pointee = Self.unknown }
}
