import TaskDispatch

/// The whole input of ``Membership``: the events that a dispatcher reported of one program, the program's notes
/// of its own calls, and what the program declared.
struct History: Sendable {
  enum Line: Sendable {
    case event(TaskEvent)
    /// `cancel()` is called for the submission of this number, or has returned.
    case cancelling(Int)
    case cancelled(Int, Cancellation)
    /// Calls for the queue of this label. Each is noted before and after.
    case suspending(String)
    case suspended(String)
    case resuming(String)
    case resumed(String)
    /// A body calls `sync`, or has returned from it.
    case syncBegan
    case syncEnded
    case shuttingDown
    case shutDown(drainsNothing: Bool)
    /// The report has been made.
    case over
  }

  struct Entry: Sendable {
    let line: Line
    /// Nanoseconds of the dispatcher's clock. For an event, the clock was read under the dispatcher's lock.
    let time: Int64

    var event: TaskEvent? { if case .event(let event) = line { event } else { nil } }
  }

  /// In order of time; entries of the same time stand as they were reported.
  private(set) var entries: [Entry]
  /// What the program declared of each submission, by the line number that the submission claims.
  var declared: [Int: Submission]
  var queues: [Trial.Queue]
  /// The most background tasks that may be on workers at a time.
  var workers: Int
  /// How long a head waits for each band that it climbs, in nanoseconds.
  var agingStep: Int64
  var ledger: Ledger
  var report: ShutdownReport?

  init(
    _ entries: [Entry], declared: [Int: Submission], queues: [Trial.Queue], workers: Int,
    agingStep: Int64, ledger: Ledger, report: ShutdownReport?
  ) {
    // Many threads report, and each does so after it has released the lock. The times were read under the lock,
    // so they restore the order. One section of the lock has one time, and one thread reports it.
    self.entries = entries.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    self.declared = declared
    self.queues = queues
    self.workers = workers
    self.agingStep = agingStep
    self.ledger = ledger
    self.report = report
  }

  /// An hour is longer than any program, so no head ever ages.
  var bandsAreStrict: Bool { agingStep >= 3_600_000_000_000 }

  var events: [TaskEvent] { entries.compactMap(\.event) }
}

/// Collects the events that a dispatcher reports of a program, and the program's own marks between them.
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
