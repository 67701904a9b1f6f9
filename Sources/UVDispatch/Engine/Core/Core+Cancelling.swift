internal import TaskDispatch

extension Core {
  /// Takes out an item that waits and has no task object, and counts its end. The caller has to give it its outcome.
  ///
  /// - Returns: False if it has a task object, or waits nowhere. Then the item has not changed.
  @inline(__always) func withdraw(_ item: WorkItem) -> Bool {
    guard !item.isQueuedAsTask, takeBack(item) else { return false }
    countEnd(of: item, .cancelled)
    return true
  }

  /// Cancels an item. Another thread may be posting it.
  func cancel(_ item: WorkItem) -> Cancellation {
    if withdraw(item) {
      release(item, .cancelled)
      return .beforeStart
    }
    item.requireNotElsewhere(than: doors.name)
    if let timer = item as? RepeatingItem { return cancel(timer) }
    guard item.outcome == nil else { return .tooLate }
    if item.isRunning {
      guard let task = runningTask(of: item) else { return .tooLate }
      if !item.isCancellationRequested { tell(.cancellationRequested, task) }
      item.requestCancellation()
      return .requested
    }
    guard item.stage != .nowhere else { return .tooLate }
    let task = task(for: item)
    guard takeBack(item) else { return .tooLate }
    endUnstarted(task, .cancelled)
    reuse(consume task)
    return .beforeStart
  }

  /// Takes a task out of the place where it waits. False if it waits nowhere.
  func takeBack(_ task: QueuedTask) -> Bool {
    if let item = task.item { return takeBack(item) }
    let removed =
      task.lane == .background
      ? removeBackground(task) : removeForeground(at: task.position)
    guard case .task(let found) = removed, found === task else { return false }
    noteTaken(task)
    admitCallers()
    return true
  }
}
