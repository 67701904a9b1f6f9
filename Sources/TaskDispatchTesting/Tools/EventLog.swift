public import TaskDispatch

/// An observer that keeps every event in the order in which the dispatcher told it.
///
/// ```swift
/// let log = EventLog()
/// let dispatcher = try UVDispatcher(.init(observer: log))
/// …
/// #expect(log.events(labeled: "upload").contains { $0.kind == .started })
/// ```
///
/// It grows with every event, so it fits a test and not a daemon. ``RecordingDispatcher`` keeps its events itself:
/// ``RecordingDispatcher/history``.
public final class EventLog: TaskObserver {
  private let log = Locked<[TaskEvent]>([])

  public init() {}

  /// Called by the dispatcher, on any thread.
  public func observe(_ event: TaskEvent) { log.withLock { $0.append(event) } }

  /// All events so far, the oldest first. Any thread. O(1), and the next event then copies them.
  public var events: [TaskEvent] { log.withLock { $0 } }

  /// The events of the tasks with this label, the oldest first. Any thread. O(all events).
  public func events(labeled label: String) -> [TaskEvent] {
    events.filter { $0.task.label == label }
  }
}
