/// Decides when a repeating timer runs, and how many of its ticks get no run of their own.
///
/// Both dispatchers use this, each under its lock. It is the only place that decides. A timer has at most one
/// run. While it has none, it waits for ``next``. Complexity of every call: O(1), however many ticks have
/// come.
package struct Ticks: Sendable {
  private let catchUp: CatchUp
  /// In nanoseconds.
  private let interval: Int64
  /// The first tick that has not been counted.
  private var tick: Int64
  /// The number of ticks that got no run, and that no run has reported yet.
  private var missed: Int64 = 0
  /// The number of ticks that are still owed a run. The next of these runs is made when the present one has
  /// ended.
  private var owed: Int64 = 0
  private var isInBody = false
  /// Whether the last call of ``comeDue(at:)`` found the loop late and dropped ticks.
  private var hasDropped = false
  /// Whether no tick comes any more.
  package private(set) var isStopped = false

  package init(_ repetition: Repetition, first: DispatcherInstant) {
    catchUp = repetition.catchUp
    interval = max(1, repetition.interval.clampedNanoseconds)
    tick = first.nanoseconds
  }

  /// The time that a timer without a run waits for.
  package var next: DispatcherInstant { DispatcherInstant(nanoseconds: tick) }

  /// Counts the ticks that have come. Called when ``next`` has come and there is no run.
  ///
  /// - Returns: Whether a run is made now. If not, the timer waits for ``next``, which is a later time now.
  package mutating func comeDue(at now: DispatcherInstant) -> Bool {
    require(tick <= now.nanoseconds, "no tick is due yet")
    let isOnTick = now.nanoseconds.subtractingClamped(tick) % interval == 0
    // The distant future is no tick that comes.
    let late = max(0, count(through: now.nanoseconds) - 1)
    switch catchUp {
    case .spaced: break
    case .all: owed = owed.addingClamped(late)
    case .once: miss(late)
    case .skip:
      // A tick that is due exactly now is not one that the loop is late for.
      hasDropped = late > 0 && !isOnTick && !hasDropped
      miss(hasDropped ? late + 1 : late)
      return !hasDropped
    }
    return true
  }

  /// Notes that the body of the run begins.
  ///
  /// - Returns: How many ticks have got no run since the last run that reported any.
  package mutating func beginBody(at now: DispatcherInstant) -> Int {
    noteTicks(through: now.nanoseconds)
    isInBody = true
    let told = missed
    missed = 0
    return Int(told)
  }

  /// Notes that the body of the run has ended, and with it the run.
  ///
  /// - Returns: Whether the next run is made now. If not, the timer waits for ``next``, or ``isStopped``.
  package mutating func endRun(at now: DispatcherInstant) -> Bool {
    if catchUp == .spaced, !isStopped {
      tick = now.nanoseconds.addingClamped(interval)
    } else if catchUp == .skip {
      // A tick that is due exactly now still gets its run.
      noteTicks(through: now.nanoseconds - 1)
    } else {
      noteTicks(through: now.nanoseconds)
    }
    isInBody = false
    guard owed > 0 else { return false }
    owed -= 1
    return true
  }

  /// Stops the ticks: none comes after `now`. Ticks that are owed a run by then still get it.
  package mutating func stop(at now: DispatcherInstant) {
    noteTicks(through: now.nanoseconds)
    isStopped = true
  }

  /// Lets the ticks that are owed a run get none: a shutdown has begun to cancel. After ``stop(at:)``.
  package mutating func dropOwed() { owed = 0 }

  /// Counts the ticks that have come while there is a run.
  private mutating func noteTicks(through time: Int64) {
    guard catchUp != .spaced, !isStopped else { return }
    let new = count(through: time)
    switch catchUp {
    case .all: owed = owed.addingClamped(new)
    case .once where isInBody && owed == 0 && new > 0:
      owed = 1
      miss(new - 1)
    default: miss(new)
    }
  }

  private mutating func miss(_ ticks: Int64) { missed = missed.addingClamped(ticks) }

  /// Counts the ticks from ``next`` to `time` as come, and moves ``next`` behind them.
  ///
  /// - Returns: The number of those ticks.
  private mutating func count(through time: Int64) -> Int64 {
    // The distant future never comes.
    let time = min(time, DispatcherInstant.distantFuture.nanoseconds - 1)
    guard tick <= time else { return 0 }
    let ticks = (time.subtractingClamped(tick) / interval).addingClamped(1)
    let (length, overflow) = interval.multipliedReportingOverflow(by: ticks)
    tick = overflow ? DispatcherInstant.distantFuture.nanoseconds : tick.addingClamped(length)
    return ticks
  }
}
