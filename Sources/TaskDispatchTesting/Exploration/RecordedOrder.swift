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
  var names: [TaskID: TaskPath] = [:]
  var counts: [TaskPath: Int] = [:]
  var timesDue: [TaskID: Int] = [:]
  var hasSubmitted: Set<TaskID> = []
  // By number: numbers follow the order of submission, and events may be told in another.
  let records = Dictionary(
    history.map { ($0.task.id, $0.task) }, uniquingKeysWith: { first, _ in first })
  for record in records.values.sorted(by: { $0.id < $1.id }) {
    let path = TaskPath(
      record.label ?? "\(record.site)", under: record.parent.flatMap { names[$0] })
    counts[path, default: 0] += 1
    names[record.id] = counts[path] == 1 ? path : path.numbered(counts[path]!)
  }
  let events = history.enumerated().sorted {
    ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
  }.map(\.element)
  /// Where each body counts: the index of an event.
  var places: [TaskID: Int] = [:]
  var steps: [(place: Int, path: TaskPath)] = []
  for (place, event) in events.enumerated() {
    let task = event.task
    guard let path = names[task.id] else { continue }
    switch event.kind {
    case .started: places[task.id] = place
    case .enqueued:
      if let parent = task.parent, records[parent]?.lane == .background, places[parent] != nil {
        places[parent] = place
        hasSubmitted.insert(parent)
      }
    case .finished where task.lane == .background && places[task.id] != nil:
      if !hasSubmitted.contains(task.id) { places[task.id] = place }
    case .due:
      timesDue[task.id, default: 0] += 1
      let count = timesDue[task.id]!
      steps.append((place, count == 1 ? path.firing : path.firing.numbered(count)))
    default: break
    }
  }
  steps += places.map { ($0.value, names[$0.key]!) }
  return ScheduleToken.order(steps.sorted { $0.place < $1.place }.map(\.path)).text
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
