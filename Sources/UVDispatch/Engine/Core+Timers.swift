internal import TaskDispatch

extension Core {
  func schedule(_ item: WorkItem, at time: DispatcherInstant) {
    item.place.stage = .timers
    item.place.ticket = timers.insert(
      item, due: time.nanoseconds, tolerance: item.toleranceInNanoseconds)
    // The loop's turn ends with a look at the timers.
    if loop.mustBeTold, nextDeadline < loop.timerIsSetFor { loop.isWanted = true }
  }

  /// Moves every timer whose time has come to where it can run. The loop's business.
  func settleTimers() {
    while let (item, time) = timers.popNext(dueBy: now) {
      item.place.stage = .nowhere
      switch item.kind {
      case .sleep:
        tell(.due, item)
        _ = item.begin()
        endUnstarted(item, .completed)
      case .repeating: tick(task(for: item), item, DispatcherInstant(nanoseconds: time))
      default:
        tell(.due, item)
        if item.timeToLive != nil { task(for: item).cameDueAt = time }
        enqueueDue(item)
      }
    }
  }

  /// A repeating timer is due: makes the runs that it owes, and says when it is due next.
  private func tick(_ timer: QueuedTask, _ item: WorkItem, _ time: DispatcherInstant) {
    guard let repetition = item.repetition else { return }
    let owed = repetition.owed(at: instant, since: time)
    for _ in 0..<owed.runs {
      let run = WorkItem.run(of: item)
      number(run, parent: timer.id)
      repeats[ObjectIdentifier(run)] = TimerRun(run: task(for: run), timer: timer)
      accept(run)
      enqueueDue(run)
    }
    if repetition.catchUp != .spaced { schedule(item, at: owed.next) }
  }

  /// The run of a repeating timer has ended.
  func endRun(_ task: QueuedTask) {
    guard let run = task.item,
      let timer = repeats.removeValue(forKey: ObjectIdentifier(run))?.timer,
      let item = timer.item, let repetition = item.repetition
    else { return }
    guard repetition.catchUp == .spaced, !item.isCancellationRequested else { return }
    schedule(item, at: instant.advanced(by: repetition.interval))
  }
}
