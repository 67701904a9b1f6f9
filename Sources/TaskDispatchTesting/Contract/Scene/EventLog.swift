internal import TaskDispatch

/// Everything that a dispatcher told its observer.
final class EventLog: TaskObserver {
  private let events = Locked<[TaskEvent]>([])

  func observe(_ event: TaskEvent) { events.withLock { $0.append(event) } }

  var all: [TaskEvent] { events.withLock { $0 } }

  /// The events of tasks with this label, in the order in which the dispatcher told them.
  func of(_ label: String) -> [TaskEvent] { all.filter { $0.task.label == label } }
}
