internal import Glibc

/// Looks again and again for so many nanoseconds, and lets other threads run now and then: about once
/// in a microsecond, since to give way takes half of one, in which nobody looks.
///
/// - Returns: Whether `isTrue` has become true.
package func spin(nanoseconds: Int64, until isTrue: () -> Bool) -> Bool {
  let end = monotonicNanoseconds() + nanoseconds
  while true {
    for _ in 0..<512 where isTrue() { return true }
    if monotonicNanoseconds() >= end { return false }
    sched_yield()
  }
}
