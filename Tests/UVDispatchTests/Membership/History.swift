import TaskDispatch

/// What a dispatcher told its observer of one program, what the program noted of its own calls, and
/// what it had declared. The whole input of ``Membership``.
struct History: Sendable {
  enum Line: Sendable {
    case event(TaskEvent)
    /// `cancel()` is called for the submission of this number, and has returned.
    case cancelling(Int)
    case cancelled(Int, Cancellation)
    /// Calls for the queue of this label: each is noted before and after.
    case suspending(String)
    case suspended(String)
    case resuming(String)
    case resumed(String)
    /// A body asks for a turn in `sync`, and has come back from it.
    case syncBegan
    case syncEnded
    case shuttingDown
    case shutDown(drainsNothing: Bool)
    /// The report is there.
    case over
  }

  struct Entry: Sendable {
    let line: Line
    /// Nanoseconds of the dispatcher's clock: for an event, read under its lock.
    let time: Int64

    var event: TaskEvent? { if case .event(let event) = line { event } else { nil } }
  }

  /// In order of time; what has the same time, as it was told.
  private(set) var entries: [Entry]
  /// What the program declared of each submission, by the line that this claims to stand in.
  var declared: [Int: Submission]
  var queues: [Trial.Queue]
  /// The most background tasks on workers.
  var workers: Int
  /// How long a head waits for each band it climbs, in nanoseconds.
  var agingStep: Int64
  var ledger: Ledger
  var report: ShutdownReport?

  init(
    _ entries: [Entry], declared: [Int: Submission], queues: [Trial.Queue], workers: Int,
    agingStep: Int64, ledger: Ledger, report: ShutdownReport?
  ) {
    // Those who tell are many, and each tells when it has freed the lock. The times were read under
    // it, so they bring back the order; one section of the lock has one time, and one teller.
    self.entries = entries.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    self.declared = declared
    self.queues = queues
    self.workers = workers
    self.agingStep = agingStep
    self.ledger = ledger
    self.report = report
  }

  /// An hour is longer than any program: no head ever ages.
  var bandsAreStrict: Bool { agingStep >= 3_600_000_000_000 }

  var events: [TaskEvent] { entries.compactMap(\.event) }
}

/// Everything that a dispatcher tells of a program, and the marks of the program between.
final class HistoryBook: TaskObserver {
  private let entries = Locked<[History.Entry]>([])

  func observe(_ event: TaskEvent) {
    entries.withLock { $0.append(.init(line: .event(event), time: event.time.nanoseconds)) }
  }

  func mark(_ line: History.Line, at time: DispatcherInstant) {
    entries.withLock { $0.append(.init(line: line, time: time.nanoseconds)) }
  }

  var all: [History.Entry] { entries.withLock { $0 } }
}
