internal import TaskDispatch

extension Core {
  /// Takes out what waits and nobody has asked for the task of, not even a run of it. The caller has to end
  /// it.
  @inline(__always) func withdraw(_ item: WorkItem) -> Bool {
    guard !item.isQueuedAsTask, takeBack(item) else { return false }
    countEnd(ofUnstarted: .cancelled)
    return true
  }

  func cancel(_ item: WorkItem) -> Cancellation {
    if withdraw(item) {
      release(item, .cancelled)
      return .beforeStart
    }
    guard let task = task(of: item), item.outcome == nil else {
      return item.kind == .repeating ? cancelRunsLeft(of: item) : .tooLate
    }
    if item.kind == .repeating {
      item.requestCancellation()
      let answer = cancelRuns(of: task)
      _ = takeBack(item)
      endUnstarted(task, .cancelled)
      return answer
    }
    if item.isRunning {
      if !item.isCancellationRequested { tell(.cancellationRequested, task) }
      item.requestCancellation()
      return .requested
    }
    guard takeBack(item) else { return .tooLate }
    endUnstarted(task, .cancelled)
    reuse(consume task)
    return .beforeStart
  }

  private func cancelRuns(of timer: QueuedTask) -> Cancellation {
    var answer = Cancellation.beforeStart
    for run in repeats.values.filter({ $0.timer === timer }).map(\.run) {
      if let item = run.item, cancel(item) == .requested { answer = .requested }
    }
    return answer
  }

  /// A timer that has ended, by a shutdown or a cancellation, may have runs that have not.
  private func cancelRunsLeft(of item: WorkItem) -> Cancellation {
    guard let timer = repeats.values.first(where: { $0.timer.item === item })?.timer else {
      return .tooLate
    }
    return cancelRuns(of: timer)
  }

  /// Takes a task out of wherever it waits. False if it waits nowhere.
  func takeBack(_ task: QueuedTask) -> Bool {
    if let item = task.item { return takeBack(item) }
    if task.lane == .background { collectIfCallersWait(task.view) }
    let removed =
      task.lane == .background
      ? pool.remove(
        at: task.position, in: task.site.band, isBarrier: task.isBarrier,
        from: poolView(task.view), now: { [clock] in clock.now })
      : foreground.remove(at: task.position, in: .medium)
    letGoIfEmpty(poolView(task.view))
    guard case .task(let found) = removed, found === task else { return false }
    noteTaken(task)
    handOutGrants()
    return true
  }
}
