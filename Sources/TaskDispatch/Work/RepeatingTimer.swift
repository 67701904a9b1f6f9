/// Decides when a repeating timer runs. For authors of dispatchers.
///
/// A timer has at most one run at a time, which is an item of its own. Its dispatcher puts a run into the queue of the
/// timer, and begins and ends it as it does with other items. The ticks that get no run are counted here.
///
/// Every call is made under the lock that guards the timer in its dispatcher. None calls or releases user code. Each
/// is O(1), however many ticks have come. Copies stand for the same timer.
public struct RepeatingTimer: Sendable {
  private let timer: RepeatingItem

  init(_ timer: RepeatingItem) { self.timer = timer }

  /// What the timer does next.
  public enum Next: Sendable {
    /// It has this run, which is taken already. Its dispatcher puts the run into the queue of the timer.
    case run(TakenItem)
    /// It waits for its next tick. Call ``RepeatingTimer/comeDue(at:)`` then. The time may have come already, if a body
    /// took long.
    case wait(until: DispatcherInstant)
    /// It ends, with the outcome `.cancelled`: it was cancelled, or a shutdown has stopped its ticks.
    case end
  }

  /// The item of the timer.
  public var taken: TakenItem { TakenItem(timer) }

  /// The run that waits in its queue or is in its body. Nil if there is none.
  public var run: TakenItem? { timer.run.map(TakenItem.init) }

  /// Notes that the time has come for which the timer waits: ``WorkItem/due`` of its item at first, and then what
  /// ``Next/wait(until:)`` said. Traps if that time is later than `now`, or if the timer has a run.
  public func comeDue(at now: DispatcherInstant) -> Next { next(timer.comeDue(at: now)) }

  /// Notes that the body of the run has ended, and forgets the run. Call it before the run gets its outcome.
  public func endRun(at now: DispatcherInstant) -> Next { next(timer.endRun(at: now)) }

  /// Forgets the run, which was cancelled or abandoned. The timer then ends as well, with the outcome `.cancelled`.
  ///
  /// Without this call, the timer and its run keep each other alive.
  public func forgetRun() { timer.letGoOfRun() }

  /// Stops the ticks, because a shutdown begins: none comes after `now`. Ticks that are owed a run by then get it.
  public func stopTicks(at now: DispatcherInstant) { timer.ticks.stop(at: now) }

  /// Lets the ticks that are owed a run get none, because a shutdown begins to cancel. After ``stopTicks(at:)``.
  public func dropOwedRuns() { timer.ticks.dropOwed() }

  private func next(_ next: RepeatingItem.Next) -> Next {
    switch next {
    case .run: .run(TakenItem(timer.makeRun()))
    case .wait(let time): .wait(until: time)
    case .end: .end
    }
  }
}
