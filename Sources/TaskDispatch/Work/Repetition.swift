/// What a repeating timer does when it could not run at its times: the loop was busy, or stopped.
///
/// A tick is *missed* when the next one is due as well.
public enum CatchUp: Sendable, Hashable, CaseIterable {
  /// If any tick is missed, all that are past are dropped: it goes on with the first tick that is
  /// now or ahead.
  case skip
  /// All missed ticks together run once, at once; then it goes on with the next tick ahead.
  case once
  /// Every missed tick runs, one after the other (a fixed rate).
  case all
  /// There are no missed ticks: the next is due one interval after the last run *ended* (a fixed
  /// delay).
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

  /// What is owed at `now` by a timer whose next tick was due at `tick`.
  ///
  /// - Returns: How many runs, and when the next tick is. For `.spaced` that is only a first guess:
  ///   the owner sets it again when the run has ended.
  package func owed(at now: DispatcherInstant, since tick: DispatcherInstant) -> (
    runs: Int, next: DispatcherInstant
  ) {
    require(tick <= now, "no tick is due yet")
    let interval = max(1, interval.clampedNanoseconds)
    let missed = (now.nanoseconds - tick.nanoseconds) / interval
    let owed = missed.addingClamped(1)
    func following(_ ticks: Int64) -> DispatcherInstant {
      let (product, overflow) = interval.multipliedReportingOverflow(by: ticks)
      return overflow ? .distantFuture : tick.advanced(by: .nanoseconds(product))
    }
    switch catchUp {
    case .all: return (Int(owed), following(owed))
    case .once: return (1, following(owed))
    case .spaced: return (1, now.advanced(by: .nanoseconds(interval)))
    case .skip:
      // Late by less than an interval, or exactly on a later tick: that tick is not past.
      let isOnTick = (now.nanoseconds - tick.nanoseconds) % interval == 0
      return missed == 0 || isOnTick ? (1, following(owed)) : (0, following(owed))
    }
  }
}
