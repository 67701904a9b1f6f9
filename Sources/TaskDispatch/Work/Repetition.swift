/// What a repeating timer does about ticks that come while it has a run, which waits in its queue or is in its body,
/// and about those that the loop was late for.
///
/// A timer has at most one run. A tick that gets none of its own is counted: see ``CurrentTask/missedTicks``.
public enum CatchUp: Sendable, Hashable, CaseIterable {
  /// When a run has ended, the next is at the first tick that is now or ahead. If the loop is late by an interval or
  /// more, what it is late for is dropped; but not twice in a row.
  case skip
  /// When a run has ended in whose body a tick came, the next is at once: one, however many ticks came. Else it is at
  /// the next tick. What the loop is late for gets one run.
  case once
  /// Each tick gets a run (a fixed rate): while ticks are owed one, the next is made when the last has ended, and goes
  /// behind what waits in its queue.
  case all
  /// There are no ticks: the next run is due one interval after the last has *ended* (a fixed delay).
  case spaced
}

/// How a repeating timer goes on.
public struct Repetition: Sendable, Hashable {
  /// Between two ticks. At least one nanosecond.
  public let interval: Duration
  public let catchUp: CatchUp

  /// Traps if `interval` is not positive: it would never let anything else run.
  public init(every interval: Duration, catchUp: CatchUp) {
    require(
      interval > .zero,
      "a timer needs a positive interval to repeat (interval: \(interval.exactText))")
    self.interval = interval
    self.catchUp = catchUp
  }
}
