internal import TaskDispatch

extension Core {
  func schedule(_ item: WorkItem, at time: DispatcherInstant) {
    timers.add(item, due: time)
    loop.noteDeadline(nextDeadline)
  }

  /// Moves every timer that is due to where it can run. Called by the loop's thread, and by a thread that begins a
  /// shutdown.
  func moveDueTimers() {
    while let (item, time) = timers.takeNext(dueBy: now) {
      switch item.kind {
      case .sleep:
        tell(.due, item)
        item.beginTaken()
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
    goOn(timer, timer.comeDue(at: instant))
  }

  private func goOn(_ timer: RepeatingItem, _ next: RepeatingItem.Next) {
    switch next {
    case .run: addRun(of: timer)
    case .wait(let time): schedule(timer, at: time)
    case .end: endUnstarted(timer, .cancelled)
    }
  }

  private func addRun(of timer: RepeatingItem) {
    let run = timer.makeRun()
    number(run, parent: timer.place.id.number)
    // It has a task object from the start. So every way in which it ends reaches its timer.
    _ = task(for: run)
    timers.addRun(of: timer)
    accept(run)
    enqueueDue(run)
  }

  /// The body of a run has ended: ends the timer, adds the next run, or waits for the next tick.
  func endRun(of timer: RepeatingItem) {
    timers.endRun(of: timer)
    goOn(timer, timer.endRun(at: instant))
  }

  /// A run was cancelled before its start, or given up: ends its timer.
  func endTimer(of run: RunItem) {
    timers.endRun(of: run.timer)
    run.timer.letGoOfRun()
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
}
