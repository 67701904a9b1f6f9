public import TaskDispatch

extension RecordingDispatcher {
  /// The history as a recording, which ``Recording/trace`` writes as a file that Perfetto's viewer opens. Needs the
  /// history.
  ///
  /// The fake has one thread, and no body overlaps another on it unless it waits for that. The recording has a row for
  /// the loop, one for each worker that was in use at a time, and one for what the test itself did.
  public func recording() -> Recording {
    require(
      configuration.recordsHistory,
      "recording() needs the history: make the dispatcher with recordsHistory: true")
    var rows = RecordingRows(label: "fake")
    for (event, comesLater) in withState({ $0.recordedMoments }) {
      rows.append(event, comesLater: comesLater)
    }
    return rows.recording
  }
}

/// Turns events into a recording, and finds a row for each.
struct RecordingRows {
  private let label: String
  private var queues: [Recording.Queue] = []
  private var queueIndices: [Recording.Queue: Int] = [:]
  private var tasks: [Recording.Task] = []
  private var taskIndices: [TaskID: Int] = [:]
  private var events: [Recording.Event] = []
  /// The rows of the bodies that run.
  private var rows: [TaskID: Int] = [:]
  private var mostWorkers = 0

  private static let loop = 0
  private static let test = 1
  private static let firstWorker = 2

  init(label: String) { self.label = label }

  mutating func append(_ event: TaskEvent, comesLater: Bool) {
    let id = event.task.id
    let kind = Recording.Kind(event.kind, comesLater: comesLater)
    if kind == .started { rows[id] = rowForStart(of: event.task) }
    // What a body submits is on the body's row.
    let row =
      rows[id] ?? event.task.parent.flatMap { rows[$0] } ?? (kind == .due ? Self.loop : Self.test)
    events.append(
      Recording.Event(kind, task: index(of: event.task), at: event.time, on: row))
    if case .finished = event.kind { rows[id] = nil }
  }

  private func rowForStart(of task: TaskRecord) -> Int {
    if task.lane == .foreground { return Self.loop }
    let taken = Set(rows.values)
    return (Self.firstWorker...).first { !taken.contains($0) }!
  }

  private mutating func index(of task: TaskRecord) -> Int {
    mostWorkers = max(mostWorkers, (rows[task.id] ?? 0) - Self.firstWorker + 1)
    if let index = taskIndices[task.id] { return index }
    let queue = Recording.Queue(label: task.queue, lane: task.lane)
    let queueIndex = queueIndices[queue] ?? queues.count
    if queueIndex == queues.count {
      queues.append(queue)
      queueIndices[queue] = queueIndex
    }
    tasks.append(
      Recording.Task(
        id: task.id, label: task.label, queue: queueIndex, file: task.site.fileID,
        line: Int(task.site.line), band: task.band, parent: task.parent))
    taskIndices[task.id] = tasks.count - 1
    return tasks.count - 1
  }

  var recording: Recording {
    let workers = (0..<mostWorkers).map {
      ThreadRecord(id: Self.firstWorker + $0 + 1, name: "worker \($0 + 1)")
    }
    return Recording(
      label: label, origin: nil, isComplete: true, queues: queues,
      threads: [ThreadRecord(id: 1, name: "loop"), ThreadRecord(id: 2, name: "test")] + workers,
      tasks: tasks, events: events)
  }
}
