public import TaskDispatch

/// The order of a history as a token for
/// ``explore(_:configuration:budget:failures:replaying:regressions:fileID:filePath:line:_:)``: the same scenario then runs as
/// nearly in that order as the fake can.
///
/// The history may be one that an observer of a `UVDispatcher` has seen in production, or one of a fake.
/// Tasks are found again by what submitted them and by their label, or else their file and line: give
/// labels to what you may want to find. Bodies of the background count when they end, for most tell of
/// what they did at their end, those of the foreground when they begin, and timers when they come due.
/// What two bodies that overlapped did at the same time cannot be had again.
///
/// - Parameter history: Events in the order in which they were told.
public func scheduleToken(of history: some Sequence<TaskEvent>) -> String {
  var names: [TaskID: TaskPath] = [:]
  var counts: [TaskPath: Int] = [:]
  var timesDue: [TaskID: Int] = [:]
  var order: [TaskPath] = []
  var hasStarted: Set<TaskID> = []
  // By number: it was given in the order of submission, and events may be told in another.
  let records = Dictionary(
    history.map { ($0.task.id, $0.task) }, uniquingKeysWith: { first, _ in first }
  ).values.sorted { $0.id < $1.id }
  for record in records {
    let path = TaskPath(
      record.label ?? "\(record.site)", under: record.parent.flatMap { names[$0] })
    counts[path, default: 0] += 1
    names[record.id] = counts[path] == 1 ? path : path.numbered(counts[path]!)
  }
  for event in history {
    guard let path = names[event.task.id] else { continue }
    switch event.kind {
    case .started where event.task.lane == .foreground: order.append(path)
    case .started: hasStarted.insert(event.task.id)
    case .finished where hasStarted.contains(event.task.id): order.append(path)
    case .due:
      timesDue[event.task.id, default: 0] += 1
      let count = timesDue[event.task.id]!
      order.append(count == 1 ? path.firing : path.firing.numbered(count))
    default: break
    }
  }
  return ScheduleToken.order(order).text
}

/// An order to be followed as nearly as can be.
struct RecordedOrder: Sendable {
  let paths: [TaskPath]
  private let places: [TaskPath: Int]

  init(_ paths: [TaskPath]) {
    self.paths = paths
    places = Dictionary(
      zip(paths, 0...).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
  }

  /// The one that comes first in it; of those that it does not know, none before all others.
  func choose(among moves: [ExploredMove], _ names: TaskNames) -> Int {
    let ranks = moves.map { places[names.path(of: $0)] ?? .max }
    return ranks.indices.min { ranks[$0] < ranks[$1] } ?? 0
  }
}
