internal import TaskDispatch

extension Core {
  func schedule(_ item: WorkItem, at time: DispatcherInstant) {
    item.place.stage = .timers
    item.place.ticket = timers.insert(
      item, due: time.nanoseconds, tolerance: item.toleranceInNanoseconds)
    // An iteration of the loop ends with a look at the timers.
    if loop.mustBeTold, nextDeadline < loop.timerIsSetFor { loop.isWanted = true }
  }

  /// Moves every timer that is due to where it can run. Called by the loop's thread, and by a thread that begins a
  /// shutdown.
  func settleTimers() {
    while let (item, time) = timers.popNext(dueBy: now) {
      item.place.stage = .nowhere
      switch item.kind {
      case .sleep:
        tell(.due, item)
        _ = item.begin()
        endUnstarted(item, .completed)
      case .repeating: comeDue(timer(item))
      default:
        tell(.due, item)
        if item.timeToLive != nil { task(for: item).cameDueAt = time }
        enqueueDue(item)
      }
    }
  }

  // MARK: Repeating

  private func timer(_ item: WorkItem) -> RepeatingItem {
    guard let timer = item as? RepeatingItem else {
      TaskDispatch.refuse("\(item.name) does not repeat")
    }
    return timer
  }

  private func comeDue(_ timer: RepeatingItem) {
    if timer.ticks.comeDue(at: instant) {
      addRun(of: timer)
    } else {
      schedule(timer, at: timer.ticks.next)
    }
  }

  private func addRun(of timer: RepeatingItem) {
    let run = timer.makeRun()
    number(run, parent: timer.place.id.number)
    // It has a task object from the start. So every way in which it ends reaches its timer.
    _ = task(for: run)
    timersWithRun[ObjectIdentifier(timer)] = timer
    accept(run)
    enqueueDue(run)
  }

  private func letGoOfRun(of timer: RepeatingItem) {
    timer.letGoOfRun()
    timersWithRun[ObjectIdentifier(timer)] = nil
  }

  /// The body of a run has ended: ends the timer, adds the next run, or waits for the next tick.
  func endRun(of timer: RepeatingItem) {
    letGoOfRun(of: timer)
    if timer.isCancellationRequested {
      endUnstarted(timer, .cancelled)
    } else if timer.ticks.endRun(at: instant) {
      addRun(of: timer)
    } else if timer.ticks.isStopped {
      endUnstarted(timer, .cancelled)
    } else {
      schedule(timer, at: timer.ticks.next)
    }
  }

  /// A run was cancelled before its start, or given up: ends its timer.
  func endTimer(of run: RunItem) {
    letGoOfRun(of: run.timer)
    endUnstarted(run.timer, .cancelled)
  }

  func cancel(_ timer: RepeatingItem) -> Cancellation {
    guard timer.outcome == nil, let run = timer.run else {
      guard takeBack(timer) else { return .tooLate }
      endUnstarted(timer, .cancelled)
      return .beforeStart
    }
    timer.requestCancellation()
    // A run that has begun ends the timer when it has ended.
    return cancel(run)
  }

  /// A shutdown has begun: no tick comes any more. A timer that is owed runs still gets them.
  func stopTimersWithRun() {
    for timer in timersWithRun.values { timer.ticks.stop(at: instant) }
  }
}
