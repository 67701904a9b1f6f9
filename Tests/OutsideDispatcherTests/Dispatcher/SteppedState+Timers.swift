import TaskDispatch

extension SteppedState {
  /// Moves the timers that are due to where they can run, the earliest first.
  mutating func moveDueTimers() {
    while let next = nextTimer, next.due <= now, next.due < .distantFuture {
      timers.removeAll { $0.task === next.task }
      comeDue(next)
    }
  }

  /// The timer with the earliest time; of several, the one that was submitted first.
  private var nextTimer: SteppedTimer? {
    timers.min { ($0.due, $0.task.number) < ($1.due, $1.task.number) }
  }

  private mutating func comeDue(_ next: SteppedTimer) {
    let task = next.task
    if let timer = task.taken.asTimer { return goOn(task, timer.comeDue(at: now), due: next.due) }
    tell(.due, task)
    if task.taken.item.kind == .sleep { return endSleep(task) }
    line(up: task, dueAt: next.due)
  }

  /// Ends a sleep. It has no body to run: its end resumes the Task that sleeps.
  private mutating func endSleep(_ task: SteppedTask) {
    guard task.taken.begin(at: now) else { fatalError("a sleep has ended among the timers") }
    ledger.waiting -= 1
    ledger.count(.completed)
    tell(.finished(.completed), task)
    end(task.taken, .completed)
  }

  private mutating func line(up task: SteppedTask, dueAt due: DispatcherInstant) {
    task.since = due
    task.isDue = true
    line(up: task)
  }

  // MARK: Repeating timers

  /// Does what a repeating timer does next.
  ///
  /// - Parameter due: The time of the tick that gets a run, if it gets one.
  mutating func goOn(_ task: SteppedTask, _ next: RepeatingTimer.Next, due: DispatcherInstant) {
    switch next {
    case .run(let run):
      timersWithRun.append(task)
      let runTask = makeTask(run, .item, in: task.line, parent: TaskID(task.number), at: due)
      accept(runTask)
      line(up: runTask, dueAt: due)
    case .wait(let time):
      timers.append(SteppedTimer(task: task, due: time))
      // If a body took long, the next tick may have come.
      if time <= now { moveDueTimers() }
    case .end: endUnstarted(task, .cancelled)
    }
  }

  mutating func takeTimerWithRun(_ timer: RepeatingTimer) -> SteppedTask? {
    guard let index = timersWithRun.firstIndex(where: { $0.taken.item === timer.taken.item })
    else { return nil }
    return timersWithRun.remove(at: index)
  }

  /// Ends the timer of a run that was cancelled or abandoned. Does nothing if the task is no run.
  mutating func endTimer(ofRun task: SteppedTask) {
    guard let timer = task.taken.timerOfRun else { return }
    timer.forgetRun()
    if let timerTask = takeTimerWithRun(timer) { endUnstarted(timerTask, .cancelled) }
  }

  // MARK: Time

  /// Moves time, and with it what comes due, expires, or has to end with a shutdown.
  mutating func move(to time: DispatcherInstant) {
    now = max(now, time)
    moveDueTimers()
    let expired = lines.flatMap(\.waiting).filter { $0.isExpired(at: now) }
    for task in expired {
      task.line.remove(task)
      endUnstarted(task, .expired)
    }
  }

  /// The next time at which something happens. Nil if there is none.
  var nextDeadline: DispatcherInstant? {
    var deadlines = timers.map(\.due)
    if phase == .draining { deadlines.append(drainUntil) }
    if phase == .draining || phase == .cancelling { deadlines.append(cancelUntil) }
    return deadlines.filter { $0 > now && $0 < .distantFuture }.min()
  }
}
