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
  /// ``Next/wait(until:)`` said. It is `.end` if the timer was asked to stop, or if its ticks were stopped.
  ///
  /// Traps if that time is later than `now`, if the timer has a run, and if it has ended.
  public func comeDue(at now: DispatcherInstant) -> Next {
    require(timer.outcome == nil, "\(timer.name) has ended, and cannot come due")
    require(
      timer.run == nil, "\(timer.name) has a run: it comes due again only once endRun(at:) says so")
    if timer.isCancellationRequested || timer.ticks.isStopped { return .end }
    require(
      timer.ticks.next <= now, "\(timer.name) comes due at \(timer.ticks.next), and it is \(now)")
    return next(timer.comeDue(at: now))
  }

  /// Notes that the body of the run has ended, and forgets the run. Call it before the run gets its outcome. Traps if
  /// there is no run, and if the run does not run.
  public func endRun(at now: DispatcherInstant) -> Next {
    guard let run = timer.run else { refuse("\(timer.name) has no run that could end") }
    require(
      run.isRunning,
      "the run of \(timer.name) does not run: call endRun(at:) between its body and its outcome")
    return next(timer.endRun(at: now))
  }

  /// Forgets the run, which was cancelled or abandoned. The timer then ends as well, with the outcome `.cancelled`.
  ///
  /// Without this call, the timer and its run keep each other alive.
  public func forgetRun() { timer.letGoOfRun() }

  /// Stops the ticks of a timer that has a run, because a shutdown begins: none comes after `now`. Ticks that are owed a
  /// run by then get it: ``endRun(at:)`` says so. Traps if the timer has no run. Such a timer ends at once instead, with
  /// the outcome `.cancelled`; if its time has come, let it come due before.
  public func stopTicks(at now: DispatcherInstant) {
    require(
      timer.run != nil,
      "\(timer.name) has no run: end it as cancelled instead of stopping its ticks")
    timer.ticks.stop(at: now)
  }

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
