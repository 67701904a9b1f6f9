/// One step of a script of a ``WaitProgram``. Tasks, queues and groups are named by their numbers.
///
/// A step that cannot be made, because its task was never submitted or its view is not suspended, is skipped.
indirect enum WaitStep: Sendable, Equatable {
  case sync(queue: Int, isBarrier: Bool, [WaitStep])
  case waitForTask(Int, isTimed: Bool)
  case waitForGroup(Int, isTimed: Bool)
  case submit(task: Int)
  /// Submits the task with a delay of some milliseconds.
  case startTimer(task: Int, milliseconds: Int)
  case suspend(queue: Int)
  case resume(queue: Int)
  case enter(group: Int)
  case leave(group: Int)
  /// Attaches a callback that runs when the group is empty, with a script of its own.
  case whenEmpty(group: Int, [WaitStep])
  /// Attaches a callback that runs when the task has ended, with a script of its own.
  case whenEnded(task: Int, [WaitStep])

  /// The script inside the step, or nil.
  var inner: [WaitStep]? {
    switch self {
    case .sync(_, _, let steps), .whenEmpty(_, let steps), .whenEnded(_, let steps): steps
    default: nil
    }
  }

  func replacingInner(_ steps: [WaitStep]) -> WaitStep {
    switch self {
    case .sync(let queue, let isBarrier, _): .sync(queue: queue, isBarrier: isBarrier, steps)
    case .whenEmpty(let group, _): .whenEmpty(group: group, steps)
    case .whenEnded(let task, _): .whenEnded(task: task, steps)
    default: self
    }
  }
}
