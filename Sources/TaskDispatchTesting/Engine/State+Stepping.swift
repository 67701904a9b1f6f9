internal import TaskDispatch

extension State {
  mutating func beginStepping(_ call: String) throws(StepError) {
    if let body = bodyOfThisThread { throw .reentrantStep(call, running: body.record) }
    guard !isStepping else { throw .reentrantStep(call, running: running.last?.record) }
    isStepping = true
    if hasExecutors { driver = .current }
  }

  /// Ends a step in the same critical section as its body, if no callback is due. A callback would find that the step
  /// is over, and might step.
  mutating func endStepIfNothingIsToBeTold() -> Bool {
    guard callbacks == nil, shutdown == nil else { return false }
    isStepping = false
    return true
  }

  func hasMore(_ driven: RecordingDispatcher.Driven) -> Bool {
    let time = now
    let background = !started.isEmpty || pool.canStart(now: { time })
    return switch driven {
    case .loop: hasForeground
    case .pool: background
    case .everything: hasForeground || background
    }
  }

  /// Why a step found nothing to run.
  func nothing(on place: String, _ isThere: (TaskRecord) -> Bool) -> StepError {
    let pending = pendingTasks()
    let there = pending.filter { isThere($0.task) && $0.due == nil }
    if there.isEmpty {
      return .nothingQueued(
        place, elsewhere: pending + awaitedEvents(), nextDeadline: nextDeadlineInstant)
    }
    return .nothingRunnable(place, there, nextDeadline: nextDeadlineInstant)
  }

  /// Starts the head of the background until a task that `isWanted` has started, and takes that task.
  mutating func reach(_ isWanted: (Entry) -> Bool) -> Entry? {
    while true {
      if let index = started.firstIndex(where: isWanted) {
        return takeStarted(at: index, hidesOuter: false)
      }
      guard startBackground() else { return nil }
    }
  }

  /// Takes one particular waiting task.
  mutating func take(_ wanted: PendingTask) throws(StepError) -> Entry {
    let id = wanted.task.id.number
    if wanted.task.lane == .foreground {
      guard wanted.obstacle == nil, let next = takeForeground() else { throw .notRunnable(wanted) }
      return next
    }
    guard wanted.obstacle == nil, let next = reach({ $0.id == id }) else {
      // The tasks before it may have started: in that case they are what is in its way.
      throw .notRunnable(pendingTasks().first { $0.task.id.number == id } ?? wanted)
    }
    return next
  }
}
