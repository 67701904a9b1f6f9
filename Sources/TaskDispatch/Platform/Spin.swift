internal import Glibc

/// Looks again and again for so many nanoseconds, and lets other threads run now and then: about once
/// in a microsecond, since to give way takes half of one, in which nobody looks.
///
/// - Returns: Whether `isTrue` has become true; and for how many nanoseconds others had the processor
///   when it gave way, at most.
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

/// Lets another thread have the processor that wants it.
package func giveWay() { sched_yield() }
