import TaskDispatch
import TaskDispatchTesting

extension ThreadedCore {
  /// When the loop has to look again.
  var nextDeadline: DispatcherInstant? {
    var next = timers.nextDeadline ?? .max
    if let shutdown, shutdown.report == nil {
      next = min(next, shutdown.nextDeadline(after: now).nanoseconds)
    }
    return next == .max ? nil : DispatcherInstant(nanoseconds: next)
  }

  func schedule(_ task: ThreadedTask, at time: DispatcherInstant) {
    task.tick = time
    task.ticket = timers.insert(
      task, due: time.nanoseconds,
      tolerance: task.item?.tolerance.clampedNanoseconds ?? 0)
  }

  /// Moves every timer whose time has come to where it can run. The loop's business.
  func settleTimers() {
    while let (task, time) = timers.popNext(dueBy: now.nanoseconds) {
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
        item.place.since = DispatcherInstant(nanoseconds: time)
        enqueueDue(task)
      }
    }
  }

  private func enqueueDue(_ task: ThreadedTask) {
    guard task.lane == .foreground else { return enqueue(task) }
    task.position = due.push(task, in: .medium)
  }

  private func tick(_ timer: ThreadedTask, _ item: WorkItem, _ time: DispatcherInstant) {
    guard let repetition = item.repetition else { return }
    let owed = repetition.owed(at: now, since: time)
    for _ in 0..<owed.runs {
      let run = WorkItem(runOf: item)
      lastID += 1
      let task = ThreadedTask(
        .item(run), id: lastID, queue: timer.home, label: item.label, site: item.site,
        parent: timer.id, at: now, shutdown: shutdownFlag)
      run.place.since = time
      tasks[ObjectIdentifier(run)] = task
      repeats[ObjectIdentifier(run)] = timer
      accept(task)
      enqueueDue(task)
    }
    if repetition.catchUp != .spaced, shutdown == nil { schedule(timer, at: owed.next) }
  }

  /// The run of a repeating timer has ended.
  func endRun(_ task: ThreadedTask) {
    guard let run = task.item, let timer = repeats.removeValue(forKey: ObjectIdentifier(run)),
      let item = timer.item, let repetition = item.repetition
    else { return }
    guard repetition.catchUp == .spaced, shutdown == nil, item.outcome == nil,
      !item.isCancellationRequested
    else { return }
    schedule(timer, at: now.advanced(by: repetition.interval))
  }

  // MARK: Cancelling

  func cancel(_ item: WorkItem) -> Cancellation {
    guard let task = tasks[ObjectIdentifier(item)], item.outcome == nil else { return .tooLate }
    if item.kind == .repeating {
      var answer = Cancellation.beforeStart
      item.requestCancellation()
      for run in repeats.filter({ $0.value === task }).keys {
        if let run = tasks[run]?.item, cancel(run) == .requested { answer = .requested }
      }
      _ = takeBack(task)
      endUnstarted(task, .cancelled)
      return answer
    }
    if item.isRunning {
      if !item.isCancellationRequested { tell(.cancellationRequested, task) }
      item.requestCancellation()
      return .requested
    }
    guard takeBack(task) else { return .tooLate }
    endUnstarted(task, .cancelled)
    return .beforeStart
  }

  /// Takes a task out of wherever it waits. False if it waits nowhere.
  func takeBack(_ task: ThreadedTask) -> Bool {
    if let ticket = task.ticket.take() { return timers.remove(ticket) != nil }
    if let index = held.firstIndex(where: { $0 === task }) {
      held.remove(at: index)
      return true
    }
    if let index = withoutRoom.firstIndex(where: { $0 === task }) {
      withoutRoom.remove(at: index)
      return true
    }
    let time = now.nanoseconds
    let isTimer = task.item?.kind == .timer
    let removed =
      task.lane == .background
      ? pool.remove(
        at: task.position, in: task.site.band, isBarrier: task.isBarrier,
        from: poolView(task.view), now: { time })
      : isTimer
        ? due.remove(at: task.position, in: .medium)
        : foreground.remove(at: task.position, in: .medium)
    guard removed != nil else { return false }
    noteTaken(task)
    handOutGrants()
    return true
  }

  /// Takes a caller whose turn cannot come out of its queue.
  func withdraw(_ task: ThreadedTask) {
    if takeBack(task) { endUnstarted(task, .cancelled) }
  }
}
