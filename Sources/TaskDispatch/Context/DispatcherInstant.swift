/// A moment on a dispatcher's clock: nanoseconds since the dispatcher was made.
///
/// Real dispatchers count monotonic time, which does not jump with the wall clock. Fakes count virtual time.
/// Arithmetic saturates at about 292 years.
@frozen public struct DispatcherInstant: InstantProtocol, Sendable {
  /// Nanoseconds since the dispatcher was made. Not negative on a dispatcher's clock.
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The moment at which the dispatcher was made.
  public static var start: DispatcherInstant { .init(nanoseconds: 0) }

  /// A moment that never comes.
  public static var distantFuture: DispatcherInstant { .init(nanoseconds: .max) }

  /// The time from ``start`` to this moment.
  public var sinceStart: Duration { .nanoseconds(nanoseconds) }

  public func advanced(by duration: Duration) -> DispatcherInstant {
    let change = duration.clampedNanoseconds
    let (sum, overflow) = nanoseconds.addingReportingOverflow(change)
    return .init(nanoseconds: overflow ? (change < 0 ? .min : .max) : sum)
  }

  public func duration(to other: DispatcherInstant) -> Duration {
    .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
  }

  public static func < (lhs: DispatcherInstant, rhs: DispatcherInstant) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}

extension DispatcherInstant: CustomStringConvertible {
  /// `1.5 s` after the start, exactly; `never` for the distant future.
  public var description: String { nanoseconds == .max ? "never" : sinceStart.exactText }
}

extension Duration {
  /// The duration in whole nanoseconds, rounded up and clamped to what 64 bits hold (about 292 years).
  ///
  /// It computes with the two halves of the 128 bits that count attoseconds, and divides twice by a constant.
  /// Each timer that is set calls this, and `components` takes ten times as long.
  package var clampedNanoseconds: Int64 {
    let perNanosecond: Int64 = 1_000_000_000
    // 2^64 attoseconds are this many nanoseconds, and this many attoseconds more.
    let (nanosecondsOfHigh, restOfHigh): (Int64, Int64) = (18_446_744_073, 709_551_616)
    let high = Int64(truncatingIfNeeded: attoseconds >> 64)
    let low = UInt64(truncatingIfNeeded: attoseconds)
    guard (-500_000_000...500_000_000).contains(high) else { return high < 0 ? .min : .max }
    let rest = high * restOfHigh + Int64(low % UInt64(perNanosecond))
    let roundedUp = rest / perNanosecond + (rest % perNanosecond > 0 ? 1 : 0)
    let whole = high * nanosecondsOfHigh
    let (sum, overflows) = whole.addingReportingOverflow(
      Int64(low / UInt64(perNanosecond)) + roundedUp)
    return overflows ? .max : sum
  }

  package var isPositive: Bool { attoseconds > 0 }
}
