import TaskDispatch

/// One submission in a history, from its first event to its last, by the indices of the entries.
struct Life: Sendable {
  let task: TaskRecord
  let declared: Submission?
  /// A run of a repeating timer. It has the line number of the timer.
  let isRun: Bool
  /// The reply to an asked task. It has the line number of that task.
  let isReply: Bool
  var events: [(index: Int, event: TaskEvent)] = []
  /// When it came into its queue. Nil if no event tells: for a notification, or a `run` that waited for room.
  var entered: Int?
  var due: Int?
  var started: Int?
  var startedAt: Int64 = 0
  var ended = Int.max
  var endedAt: Int64 = 0
  var outcomes: [Outcome] = []

  var first: Int { events.first?.index ?? 0 }
  var form: Submission.Form { isReply ? .reply : declared?.form ?? .posted }
  var isRepeatingTimer: Bool { form == .repeating && !isRun }
  /// Whether it first waits for a time.
  var isFromTimer: Bool { form == .timer || form == .repeating }
  var isBarrier: Bool { !isReply && task.lane == .background && declared?.isBarrier == true }
  /// Whether it is a call of `sync` off the foreground. The queue admits it before the event of its start is reported.
  var isCaller: Bool { form == .sync && task.lane == .background }
  /// As the program declared it: the dispatcher's own record may be wrong.
  var band: PriorityBand {
    task.lane == .foreground ? .medium : declared?.band ?? task.band
  }

  /// Whether it waits in its queue at `index`.
  func waits(at index: Int) -> Bool {
    guard let entered, entered < index else { return false }
    return (started ?? ended) > index
  }

  func runs(at index: Int) -> Bool { started.map { $0 <= index && index < ended } ?? false }

  static func all(of history: History) -> [Life] {
    var lives: [Life] = []
    var indices: [TaskID: Int] = [:]
    for (index, entry) in history.entries.enumerated() {
      guard let event = entry.event else { continue }
      let task = event.task
      let place = indices[task.id] ?? lives.count
      if place == lives.count {
        indices[task.id] = place
        let parent = task.parent.flatMap { indices[$0] }.map { lives[$0] }
        lives.append(Life(task, from: parent, history))
      }
      lives[place].note(event, at: index)
    }
    return lives
  }

  private init(_ task: TaskRecord, from parent: Life?, _ history: History) {
    self.task = task
    declared = history.declared[Int(task.site.line)]
    let standsInLineOfParent = parent?.task.site.line == task.site.line
    isRun = standsInLineOfParent && declared?.form == .repeating
    isReply = standsInLineOfParent && declared?.form == .asked
  }

  private mutating func note(_ event: TaskEvent, at index: Int) {
    events.append((index, event))
    switch event.kind {
    case .enqueued:
      if isRun || !isFromTimer && form != .notification { entered = index }
    case .due:
      due = index
      entered = index
    case .started:
      started = started ?? index
      startedAt = event.time.nanoseconds
    case .finished(let outcome):
      outcomes.append(outcome)
      ended = min(ended, index)
      endedAt = event.time.nanoseconds
    default: break
    }
  }
}

extension Life: CustomStringConvertible {
  var description: String { "\(task.id) (line \(task.site.line), \(form)) on \(task.queue)" }
}
