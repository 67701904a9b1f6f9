/// A moment on a dispatcher's clock: nanoseconds since the dispatcher was made.
///
/// Real dispatchers count monotonic time, which does not jump with the wall clock; fakes count
/// virtual time. Arithmetic saturates at about 292 years.
@frozen public struct DispatcherInstant: InstantProtocol, Sendable {
  /// Nanoseconds since the dispatcher was made. Not negative on a dispatcher's clock.
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// When the dispatcher was made.
  public static var start: DispatcherInstant { .init(nanoseconds: 0) }

  /// A moment that never comes.
  public static var distantFuture: DispatcherInstant { .init(nanoseconds: .max) }

  /// How long after the start this is.
  public var sinceStart: Duration { .nanoseconds(nanoseconds) }

  public func advanced(by duration: Duration) -> DispatcherInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
    return .init(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  public func duration(to other: DispatcherInstant) -> Duration {
    .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
  }

  public static func < (lhs: DispatcherInstant, rhs: DispatcherInstant) -> Bool {
    lhs.nanoseconds < rhs.nanoseconds
  }
}

extension DispatcherInstant: CustomStringConvertible {
  /// `1.5 seconds` after the start.
  public var description: String { nanoseconds == .max ? "never" : "\(sinceStart)" }
}

extension Duration {
  /// Whole nanoseconds, rounded up and clamped to what 64 bits hold (about 292 years).
  package var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let part = attoseconds / 1_000_000_000 + (attoseconds % 1_000_000_000 > 0 ? 1 : 0)
    let (sum, overflowed) = whole.addingReportingOverflow(part)
    return overflowed ? (whole < 0 ? .min : .max) : sum
  }
}
