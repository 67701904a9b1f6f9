internal import TaskDispatch

/// What is deferred until the lock is free: callbacks to observers, and to code that waits for an outcome.
extension Core {
  @inline(__always) func tell(_ kind: @autoclosure () -> TaskEvent.Kind, _ task: RunningTask) {
    if isObserved { tellObserver(kind(), task) }
    if let recorder = doors.recorder { record(kind(), task, recorder) }
  }

  @inline(__always) func tell(_ kind: @autoclosure () -> TaskEvent.Kind, _ item: WorkItem) {
    if isObserved { tellObserver(kind(), task(for: item)) }
    if let recorder = doors.recorder { record(kind(), item, recorder) }
  }

  @inline(never) private func record(
    _ kind: TaskEvent.Kind, _ task: RunningTask, _ recorder: Recorder
  ) {
    recorder.note(Recording.Kind(kind, comesLater: task.item?.comesLater ?? false), task)
  }

  @inline(never) private func record(
    _ kind: TaskEvent.Kind, _ item: WorkItem, _ recorder: Recorder
  ) {
    recorder.note(Recording.Kind(kind, comesLater: item.comesLater), item)
  }

  @inline(never) private func tellObserver(_ kind: TaskEvent.Kind, _ task: RunningTask) {
    tell(kind, task.record)
  }

  func tell(_ kind: TaskEvent.Kind, _ record: TaskRecord) {
    guard let observer else { return }
    let event = TaskEvent(kind, record, at: instant)
    callbacks.append { observer.observe(event) }
  }

  /// Gives `item` its outcome, as ``release(_:_:)`` does for a task. Makes no task object for that.
  @inline(__always) func release(_ item: WorkItem, _ outcome: Outcome) {
    if item.isQueuedAsTask { return release(task(for: item), outcome) }
    end(item, nil, outcome)
  }

  /// Gives `task` its outcome, and takes the item out of it. Once the lock is free, the outcome is told and the body is
  /// released.
  @inline(__always) func release(_ task: QueuedTask, _ outcome: Outcome) {
    end(task.takeItem(), task.release(), outcome)
  }

  @inline(__always) private func end(
    _ item: consuming WorkItem?, _ work: consuming QueuedTask.Work?, _ outcome: Outcome
  ) {
    if let item = consume item {
      forget(item)
      if let telling = item.setOutcome(outcome) {
        deferTelling(of: item, outcome, telling, releasing: work)
      } else if let work {
        callbacks.append(.letGo(work))
      }
    } else if let work = consume work {
      callbacks.append(.letGo(work))
    }
  }

  /// An item has got its outcome. Flags the threads of this dispatcher that wait for it, and defers the rest, if there
  /// is any.
  ///
  /// - Parameter work: What is to be released after the callbacks.
  @inline(__always) func deferTelling(
    of item: WorkItem, _ outcome: Outcome, _ telling: WorkItem.Telling,
    releasing work: consuming QueuedTask.Work? = nil
  ) {
    if telling.isAwaited { blocked.flagWaiters(of: item) }
    if telling.isNothing, work?.holdsUserCode != true { return }
    callbacks.append(.end(item, outcome, telling, work))
  }

  /// Takes out everything that never started, before the dispatcher goes away: the queue of a view holds its tasks, and
  /// these hold the view.
  ///
  /// - Returns: What the caller has to end and release without the lock.
  func releaseEverything() -> [QueuedTask.Work] {
    removeAllHandlers()
    materialisePlainTasks()
    var left: [QueuedTask] = []
    forEachReady { left.append($0) }
    left += standby.all.map { task(for: $0) }
    for task in left { _ = takeBack(task) }
    for timer in timers.takeTimersWithRun() {
      timer.letGoOfRun()
      left.append(task(for: timer))
    }
    left += timers.removeAll().map { task(for: $0) } + late.takeAll()
    for task in left { if let item = task.item { forget(item) } }
    return left.compactMap { $0.release() }
  }
}
