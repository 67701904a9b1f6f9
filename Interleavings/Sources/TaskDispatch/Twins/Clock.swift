internal import Scheduling

/// The virtual time.
package func monotonicNanoseconds() -> Int64 { Simulation.shared.readClock() }

package func wallNanoseconds() -> Int64 { Simulation.shared.now }

package func recentMonotonicNanoseconds() -> Int64 { Simulation.shared.now }

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
