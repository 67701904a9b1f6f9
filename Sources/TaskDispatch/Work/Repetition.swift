/// What a repeating timer does about ticks that come while it has a run, and about ticks that the loop was
/// late for. A run waits in its queue, or is in its body.
///
/// A timer has at most one run. A tick that gets no run of its own is counted: see
/// ``CurrentTask/missedTicks``.
public enum CatchUp: Sendable, Hashable, CaseIterable {
  /// When a run has ended, the next run is at the first tick that is now or later. If the loop is late by an
  /// interval or more, the ticks that it is late for are dropped, but not twice in a row.
  case skip
  /// If ticks came while the body of a run ran, the next run is made when it has ended: one run, however many
  /// ticks came. Otherwise the next run is at the next tick. The ticks that the loop is late for get one run.
  case once
  /// Each tick gets a run (a fixed rate). While ticks are owed a run, the next run is made when the last has
  /// ended, and goes behind the tasks that wait in its queue.
  case all
  /// There are no ticks. The next run is due one interval after the last has *ended* (a fixed delay).
  case spaced
}

/// How a repeating timer repeats.
public struct Repetition: Sendable, Hashable {
  /// The time between two ticks. At least one nanosecond.
  public let interval: Duration
  public let catchUp: CatchUp

  /// Makes a repetition. Traps if `interval` is not positive: such a timer would let no other task run.
  public init(every interval: Duration, catchUp: CatchUp) {
    require(
      interval > .zero,
      "a timer needs a positive interval to repeat (interval: \(interval.exactText))")
    self.interval = interval
    self.catchUp = catchUp
  }
}
