internal import Glibc

/// Checks `isTrue` again and again for so many nanoseconds, and yields the processor about once in a
/// microsecond. Yielding takes about half a microsecond, in which it does not check.
///
/// - Returns: Whether `isTrue` has become true. And the longest time, in nanoseconds, for which other threads
///   had the processor in one yield.
package func spin(
  nanoseconds: Int64, now: () -> Int64 = monotonicNanoseconds, giveWay: () -> Void = giveWay,
  until isTrue: () -> Bool
) -> (hasFound: Bool, away: Int64) {
  var time = now()
  let end = time.addingClamped(nanoseconds)
  var away: Int64 = 0
  while true {
    for _ in 0..<512 where isTrue() { return (true, away) }
    time = now()
    if time >= end { return (false, away) }
    giveWay()
    away = max(away, now() - time)
  }
}

/// Yields the processor to another thread that is ready to run.
package func giveWay() { sched_yield() }
