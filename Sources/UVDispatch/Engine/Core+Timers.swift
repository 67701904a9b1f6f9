internal import TaskDispatch

extension Core {
  func schedule(_ task: QueuedTask, at time: DispatcherInstant) {
    task.ticket = timers.insert(
      task, due: time.nanoseconds, tolerance: task.item?.tolerance.clampedNanoseconds ?? 0)
    // The loop's turn ends with a look at the timers.
    if !turnIsDue, nextDeadline < timerIsSetFor { turnIsWanted = true }
  }

  /// Moves every timer whose time has come to where it can run. The loop's business.
  func settleTimers() {
    while let (task, time) = timers.popNext(dueBy: now) {
      task.ticket = nil
      guard let item = task.item else { continue }
      switch item.kind {
      case .sleep:
        tell(.due, task)
        _ = item.begin()
        endUnstarted(task, .completed)
      case .repeating: tick(task, item, DispatcherInstant(nanoseconds: time))
      default:
        tell(.due, task)
        task.cameDueAt = time
        enqueueDue(task)
      }
    }
  }

  /// A repeating timer is due: makes the runs that it owes, and says when it is due next.
  private func tick(_ timer: QueuedTask, _ item: WorkItem, _ time: DispatcherInstant) {
    guard let repetition = item.repetition else { return }
    let owed = repetition.owed(at: instant, since: time)
    for _ in 0..<owed.runs {
      let run = WorkItem(runOf: item)
      let task = makeTask(
        .item(run), on: timer.lane, timer.view, isBarrier: timer.isBarrier, site: item.site,
        parent: timer.id)
      task.cameDueAt = time.nanoseconds
      remember(task, as: run)
      repeats[ObjectIdentifier(run)] = TimerRun(run: task, timer: timer)
      accept(task)
      enqueueDue(task)
    }
    if repetition.catchUp != .spaced { schedule(timer, at: owed.next) }
  }

  /// The run of a repeating timer has ended.
  func endRun(_ task: QueuedTask) {
    guard let run = task.item,
      let timer = repeats.removeValue(forKey: ObjectIdentifier(run))?.timer,
      let item = timer.item, let repetition = item.repetition
    else { return }
    guard repetition.catchUp == .spaced, !item.isCancellationRequested else { return }
    schedule(timer, at: instant.advanced(by: repetition.interval))
  }
}
