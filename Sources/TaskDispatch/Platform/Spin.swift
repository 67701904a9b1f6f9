internal import Glibc

/// Looks again and again for so many nanoseconds, and lets other threads run now and then.
///
/// - Returns: Whether `isTrue` has become true.
package func spin(nanoseconds: Int64, until isTrue: () -> Bool) -> Bool {
  let end = monotonicNanoseconds() + nanoseconds
  while true {
    for _ in 0..<64 where isTrue() { return true }
    if monotonicNanoseconds() >= end { return false }
    sched_yield()
  }
}
