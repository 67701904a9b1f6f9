import RandomTesting
import TaskDispatch

/// A history that a test writes by hand. Each word takes ``moment`` nanoseconds.
///
/// - `+1` task 1 is accepted, `!1` refused; `@1` it comes due; `>1` it starts
/// - `.1` completed, `~1` cancelled, `x1` expired; `?1` it is asked to stop
/// - `c1` its `cancel()` is called, and says `b1` before its start, `r1` requested, `l1` too late
/// - `[view` a view is suspended, `]view` it is resumed
/// - `gate` a shutdown begins, `halt` one that drains nothing; `over` the report has been made
struct Story: Sendable {
  struct Task: Sendable, Equatable {
    let number: Int
    let queue: String
    var band = PriorityBand.medium
    var isBarrier = false
    var form = Submission.Form.handled
    var due: Int64?
    var timeToLive: Int64?
    var isSkipped = false
    var parent: Int?
    /// How a repeating timer catches up.
    var catchUp: CatchUp?
    var isRun = false

    init(
      _ number: Int, _ queue: String, band: PriorityBand = .medium, isBarrier: Bool = false,
      due: Int64? = nil, timeToLive: Int64? = nil, isSkipped: Bool = false, parent: Int? = nil
    ) {
      self.number = number
      self.queue = queue
      self.band = band
      self.isBarrier = isBarrier
      self.due = due
      self.timeToLive = timeToLive
      self.isSkipped = isSkipped
      self.parent = parent
      form = due == nil ? .handled : .timer
    }

    static func repeating(_ number: Int, _ queue: String, _ catchUp: CatchUp) -> Task {
      var task = Task(number, queue)
      task.form = .repeating
      task.catchUp = catchUp
      return task
    }

    /// A run of the repeating timer `parent`.
    static func run(_ number: Int, of parent: Int, _ queue: String) -> Task {
      var task = Task(number, queue, parent: parent)
      task.isRun = true
      return task
    }
  }

  static let queues = [
    Trial.Queue(label: "foreground", width: 1), Trial.Queue(label: "background", width: 2),
    Trial.Queue(label: "view", width: 1), Trial.Queue(label: "wide", width: 2),
  ]

  var tasks: [Task]
  var agingStep: Int64 = .max
  /// How long a word takes. If it is 0, the clock stands still, and only the order of the words says
  /// what came first: then ``isInOrder`` must be true.
  var moment: Int64 = 10
  var isInOrder = false
  /// How many bodies of a task the program noted beyond those that the words tell.
  var extraBodies: [Int: Int] = [:]
  /// Tasks whose bodies did not come to their end.
  var unended: Set<Int> = []
  /// By how much the ledger's count of completed tasks is wrong.
  var ledgerError = 0
  /// The tasks that the report names as never started.
  var neverStarted: [Int] = []

  func history(_ words: String) -> History {
    let words = words.split(separator: " ").map(String.init)
    var entries: [History.Entry] = []
    for (index, word) in words.enumerated() {
      let time = Int64(index) * moment
      for line in lines(word, time, accepted: words) {
        entries.append(.init(line: line, time: time))
      }
    }
    let ledger = ledger(entries)
    let left = neverStarted.map { number in
      ShutdownReport.Unfinished(
        label: nil, queue: task(number).queue, site: record(number, words).site, age: .zero,
        thread: nil, state: .neverStarted)
    }
    return History(
      entries, isInOrder: isInOrder, declared: declared(words), queues: Self.queues, workers: 2,
      agingStep: agingStep, ledger: ledger, report: ShutdownReport(ledger: ledger, unfinished: left)
    )
  }

  private func task(_ number: Int) -> Task { tasks.first { $0.number == number }! }

  private func lines(_ word: String, _ time: Int64, accepted words: [String]) -> [History.Line] {
    let rest = String(word.dropFirst())
    if word == "gate" { return [.shuttingDown, .shutDown(drainsNothing: false)] }
    if word == "halt" { return [.shuttingDown, .shutDown(drainsNothing: true)] }
    if word == "over" { return [.over] }
    if word.first == "[" { return [.suspending(rest), .suspended(rest)] }
    if word.first == "]" { return [.resuming(rest), .resumed(rest)] }
    let number = Int(rest)!
    let kind: TaskEvent.Kind
    switch word.first {
    case "+": kind = .enqueued
    case "!": kind = .refused(.shutDown)
    case "@": kind = .due
    case ">": kind = .started
    case ".": kind = .finished(.completed)
    case "~": kind = .finished(.cancelled)
    case "x": kind = .finished(.expired)
    case "?": kind = .cancellationRequested
    case "c": return [.cancelling(number)]
    case "b": return [.cancelled(number, .beforeStart)]
    case "r": return [.cancelled(number, .requested)]
    default: return [.cancelled(number, .tooLate)]
    }
    let event = TaskEvent(
      kind, record(number, words), at: DispatcherInstant(nanoseconds: time))
    return [.event(event)]
  }

  private func record(_ number: Int, _ words: [String]) -> TaskRecord {
    let task = task(number)
    let enqueued = words.firstIndex(of: "+\(number)") ?? 0
    return TaskRecord(
      id: TaskID(UInt64(number)), label: nil,
      lane: task.queue == "foreground" ? .foreground : .background, queue: task.queue,
      site: CallSite(fileID: "story", line: UInt(task.isRun ? task.parent! : number)),
      band: task.band,
      parent: task.parent.map { TaskID(UInt64($0)) },
      enqueuedAt: DispatcherInstant(nanoseconds: Int64(enqueued) * moment))
  }

  private func declared(_ words: [String]) -> [Int: Submission] {
    var all: [Int: Submission] = [:]
    for task in tasks where !task.isRun {
      var submission = Submission(
        called: task.number, form: task.form,
        queue: Self.queues.firstIndex { $0.label == task.queue }!, band: task.band,
        isBarrier: task.isBarrier, parent: task.parent, thread: 0)
      submission.due = task.due
      submission.timeToLive = task.timeToLive
      submission.catchUp = task.catchUp
      submission.isSkippedAtShutdown = task.isSkipped
      let bodies = tasks.filter { $0 == task || $0.isRun && $0.parent == task.number }
      let ended = bodies.filter { words.contains(".\($0.number)") }.count
      for _ in 0..<ended + extraBodies[task.number, default: 0] {
        let end = unended.contains(task.number) ? nil : 1
        submission.runs.append(.init(began: 0, ended: end, time: 0, thread: 0))
      }
      all[task.number] = submission
    }
    return all
  }

  private func ledger(_ entries: [History.Entry]) -> Ledger {
    var ledger = Ledger()
    for entry in entries {
      switch entry.event?.kind {
      case .enqueued: ledger.accepted += 1
      case .refused: ledger.refused += 1
      case .finished(let outcome): ledger.count(outcome)
      default: break
      }
    }
    ledger.completed += ledgerError
    ledger.accepted += ledgerError
    return ledger
  }
}
