internal import Scheduling

/// Checks `isTrue` once, and yields the processor, again and again for so many nanoseconds.
package func spin(
  nanoseconds: Int64, now: () -> Int64 = monotonicNanoseconds, giveWay: () -> Void = giveWay,
  until isTrue: () -> Bool
) -> (hasFound: Bool, away: Int64) {
  var time = now()
  let end = time.addingClamped(nanoseconds)
  var away: Int64 = 0
  while true {
    if isTrue() { return (true, away) }
    time = now()
    if time >= end { return (false, away) }
    giveWay()
    away = max(away, now() - time)
  }
}

package func giveWay() { Simulation.shared.yield() }
