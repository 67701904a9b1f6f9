public import TaskDispatch

/// Makes a token from the order of a history, for
/// ``explore(_:configuration:budget:failures:replaying:regressions:fileID:filePath:line:_:)``. The same scenario then
/// runs as nearly in that order as the fake can.
///
/// The history may come from an observer of a `UVDispatcher` in production, or from a fake. Tasks are recognised by
/// their parent and their label, or else their file and line: give labels to the tasks that you may want to find.
///
/// A background body counts at its last submission, or else at its end. A foreground body counts at its start, and a
/// timer when it comes due. What two overlapping bodies did at the same time cannot be reproduced.
///
/// - Parameter history: The events, in any order. Threads report events late, so the times of the events decide.
public func scheduleToken(of history: some Sequence<TaskEvent>) -> String {
  var order = TaskOrder()
  for event in history {
    let task = event.task
    order.append(
      event.kind.role, at: event.time,
      of: .init(
        id: task.id, name: task.label ?? "\(task.site)", lane: task.lane, parent: task.parent))
  }
  return order.token
}

/// Makes a token from the order of a recording, as the function of the same name does from a history.
///
/// - Parameter recording: Of a `UVDispatcher` in production, read from a file by `Recording(trace:)`, or of a fake. If it
///   is not complete, tasks that were submitted before it began are taken for the first with their name.
public func scheduleToken(of recording: Recording) -> String {
  var order = TaskOrder()
  for event in recording.events {
    let task = recording.tasks[event.task]
    order.append(
      event.kind.role, at: event.time,
      of: .init(
        id: task.id, name: task.name, lane: recording.queues[task.queue].lane,
        parent: task.parent))
  }
  return order.token
}

/// The order of the bodies of a history.
private struct TaskOrder {
  struct Task {
    let id: TaskID
    let name: String
    let lane: Lane
    let parent: TaskID?
  }

  /// What an event says about the order.
  enum Role {
    case accepted
    case start
    case end
    case due
    case none
  }

  private var events: [(role: Role, task: Task, time: DispatcherInstant)] = []

  mutating func append(_ role: Role, at time: DispatcherInstant, of task: Task) {
    events.append((role, task, time))
  }

  var token: String {
    var names: [TaskID: TaskPath] = [:]
    var counts: [TaskPath: Int] = [:]
    var timesDue: [TaskID: Int] = [:]
    var hasSubmitted: Set<TaskID> = []
    // By number: numbers follow the order of submission, and events may be told in another.
    let tasks = Dictionary(
      events.map { ($0.task.id, $0.task) }, uniquingKeysWith: { first, _ in first })
    for task in tasks.values.sorted(by: { $0.id < $1.id }) {
      let path = TaskPath(task.name, under: task.parent.flatMap { names[$0] })
      counts[path, default: 0] += 1
      names[task.id] = counts[path] == 1 ? path : path.numbered(counts[path]!)
    }
    let events = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element)
    /// Where each body counts: the index of an event.
    var places: [TaskID: Int] = [:]
    var steps: [(place: Int, path: TaskPath)] = []
    for (place, event) in events.enumerated() {
      let task = event.task
      guard let path = names[task.id] else { continue }
      switch event.role {
      case .start: places[task.id] = place
      case .accepted:
        if let parent = task.parent, tasks[parent]?.lane == .background, places[parent] != nil {
          places[parent] = place
          hasSubmitted.insert(parent)
        }
      case .end where task.lane == .background && places[task.id] != nil:
        if !hasSubmitted.contains(task.id) { places[task.id] = place }
      case .due:
        timesDue[task.id, default: 0] += 1
        let count = timesDue[task.id]!
        steps.append((place, count == 1 ? path.firing : path.firing.numbered(count)))
      case .end, .none: break
      }
    }
    steps += places.map { ($0.value, names[$0.key]!) }
    return ScheduleToken.order(steps.sorted { $0.place < $1.place }.map(\.path)).text
  }
}

extension TaskEvent.Kind {
  fileprivate var role: TaskOrder.Role {
    switch self {
    case .enqueued: .accepted
    case .started: .start
    case .finished: .end
    case .due: .due
    default: .none
    }
  }
}

extension Recording.Kind {
  fileprivate var role: TaskOrder.Role {
    switch self {
    case .enqueued, .scheduled: .accepted
    case .started: .start
    case .completed, .failed, .cancelled, .expired, .abandoned: .end
    case .due: .due
    default: .none
    }
  }
}

/// An order that a run follows as nearly as possible.
struct RecordedOrder: Sendable {
  let paths: [TaskPath]
  private let places: [TaskPath: Int]

  init(_ paths: [TaskPath]) {
    self.paths = paths
    places = Dictionary(
      zip(paths, 0...).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index of the move that comes first in this order. Moves that it does not know come last.
  func choose(among moves: [ExploredMove], _ names: TaskNames) -> Int {
    let ranks = moves.map { places[names.path(of: $0)] ?? .max }
    return ranks.indices.min { ranks[$0] < ranks[$1] } ?? 0
  }
}
