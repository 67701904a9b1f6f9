internal import Scheduling
internal import TaskDispatch

extension UVDispatcher {
  /// Checks the invariants of `Engine/README.md` each time that the dispatcher's lock becomes free.
  package func checkInvariants() {
    engine.monitor.simulated.whenFree = { [unowned engine] in
      if engine.core.loopThread.isCalling { engine.loop.noteLook() }
      return engine.core.violation(loopComes: engine.loop.comes)
    }
  }

  /// What a run leaves behind in the process goes. Between two runs.
  package static func forgetFormerRun() { WorkerRuns.reset() }
}

extension Core {
  /// The invariant that does not hold. Nil if all hold. The calling thread has just freed the lock.
  ///
  /// - Parameter loopComes: Whether the loop was woken, and its thread has had the lock not yet since.
  fileprivate func violation(loopComes: Bool) -> String? {
    let isSearched = workers.searching > 0 || !workers.mayStart(busy: busyWorkers)
    // The thread whose post notified the inbox has not come to the lock yet.
    if !isSearched, !mayBeNotifying(doors.background) {
      if doors.background.isNotified {
        return "invariant I: the background's inbox is notified, and no run comes"
      }
      if mayStart { return "invariant L: a task may start on a worker, and no run comes" }
    }
    // Not by `mustBeTold`: that is part of what is checked.
    switch loop.state {
    case .asleep where loopComes || mayBeNotifying(doors.foreground): break
    case .asleep, .spinning:
      if loop.isWanted || hasForeground {
        return "invariant W: the loop has work, and its thread is \(loop.state)"
      }
    case .told:
      if !doors.hints.loopMustLook {
        return "invariant W: the loop's thread was told while it spun, and its hint is not set"
      }
    case .woken, .iterating, .over: break
    }
    if workers.searching > workers.arriving, mayStart, !doors.hints.taskMayStart {
      return "invariant L: a task may start, and the hint for runs that spin is not set"
    }
    if isFullAndIdle(doors.foreground) {
      return "invariant A: the foreground's inbox holds something, and is idle"
    }
    if isFullAndIdle(doors.background) {
      return "invariant A: the background's inbox holds something, and is idle"
    }
    // A thread that blocks frees the lock as well, and must not leave these to others.
    if workers.hasPending { return "invariant L: a worker run is noted, and no thread starts it" }
    if loop.hasPending { return "invariant W: a wake-up is noted, and no thread sends it" }
    let areKnown =
      !running.contains { stalls.since(.task($0.id)) == nil }
      && !running.telling.contains { stalls.since(.callbacks($0.number)) == nil }
    if stalls.isParked, !areKnown {
      return "the watchdog is parked, and a body runs that it would never look at"
    }
    if blocked.mustWake, blocked.threads.contains(where: { $0.isAsleep && $0.isFlagged }) {
      return "invariant B: a thread is flagged, and no thread wakes it"
    }
    if let thread = blocked.threads.first(where: sleepsInVain) {
      return "invariant B: a thread sleeps, and what it waits for has come about: \(thread.target)"
    }
    return nil
  }

  /// Whether a blocked thread sleeps, although its wait has ended and no thread has flagged it.
  private func sleepsInVain(_ thread: BlockedThread) -> Bool {
    guard thread.isAsleep, !thread.isFlagged, !thread.isBusy else { return false }
    return switch thread.target {
    case .admission(let caller): caller.lane == .background && caller.isAdmitted
    case .item(let item): item.outcome != nil
    case .group, .room, .anything: false
    }
  }

  private func isFullAndIdle(_ inbox: borrowing Inbox) -> Bool {
    inbox.mayHoldEntries && !inbox.isNotified && !mayBeNotifying(inbox)
  }

  /// Whether a thread is in a post to the inbox, or has posted and is about to notify a consumer.
  private func mayBeNotifying(_ inbox: borrowing Inbox) -> Bool {
    let (isNotifying, wasHeld) = Simulation.shared.noticingLocks { inbox.isNotifying }
    return isNotifying || wasHeld
  }
}
