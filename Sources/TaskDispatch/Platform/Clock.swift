internal import Glibc

/// The present time in nanoseconds of the monotonic clock. It does not jump, and it goes on while the process
/// is stopped.
package func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The time of day, in nanoseconds since 1970.
package func wallNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The time of the monotonic clock at the kernel's last tick, in nanoseconds: up to four milliseconds ago. It
/// costs a third of ``monotonicNanoseconds()``.
package func recentMonotonicNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension Int64 {
  /// The sum, or the greatest `Int64` if the sum is greater. `other` must not be negative.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The difference, or the nearest number that there is.
  package func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
