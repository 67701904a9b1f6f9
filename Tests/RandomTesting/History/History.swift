package import TaskDispatch

/// The whole input of ``HistoryChecker``: the events that a dispatcher reported of one program, the program's
/// notes of its own calls, and what the program declared.
package struct History: Sendable {
  package enum Line: Sendable, Equatable {
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

  package struct Entry: Sendable, Equatable {
    package let line: Line
    /// Nanoseconds of the dispatcher's clock. For an event, the clock was read under the dispatcher's lock.
    package let time: Int64

    package init(line: Line, time: Int64) {
      self.line = line
      self.time = time
    }

    package var event: TaskEvent? { if case .event(let event) = line { event } else { nil } }
  }

  /// In the order of what happened, as far as that is known: see ``isInOrder``.
  package private(set) var entries: [Entry]
  /// One thread wrote every entry, so their order is exact, also where the clock stands still. If
  /// several threads wrote them, entries of one time may have happened in another order.
  package let isInOrder: Bool
  /// What the program declared of each submission, by the line number that the submission claims.
  package var declared: [Int: Submission]
  package var queues: [Trial.Queue]
  /// The most background tasks that may be on workers at a time.
  package var workers: Int
  /// How long a head waits for each band that it climbs, in nanoseconds.
  package var agingStep: Int64
  package var ledger: Ledger
  package var report: ShutdownReport?

  package init(
    _ entries: [Entry], isInOrder: Bool, declared: [Int: Submission], queues: [Trial.Queue],
    workers: Int, agingStep: Int64, ledger: Ledger, report: ShutdownReport?
  ) {
    // Many threads report, and each does so after it has released the lock. The times were read under the lock,
    // so they restore the order. One section of the lock has one time, and one thread reports it: its entries
    // keep the order in which they were reported.
    self.entries =
      isInOrder
      ? entries
      : entries.enumerated()
        .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    self.isInOrder = isInOrder
    self.declared = declared
    self.queues = queues
    self.workers = workers
    self.agingStep = agingStep
    self.ledger = ledger
    self.report = report
  }

  /// This history with other entries, of the same program.
  package func with(_ entries: [Entry]) -> History {
    History(
      entries, isInOrder: isInOrder, declared: declared, queues: queues, workers: workers,
      agingStep: agingStep, ledger: ledger, report: report)
  }

  /// An hour is longer than any program, so no head ever ages.
  var bandsAreStrict: Bool { agingStep >= 3_600_000_000_000 }

  package var events: [TaskEvent] { entries.compactMap(\.event) }

  /// Whether the entry at `index` certainly happened after the one at `other`.
  func isCertain(_ index: Int, after other: Int) -> Bool {
    isInOrder ? index > other : entries[index].time > entries[other].time
  }
}

/// Collects the events that a dispatcher reports of a program, and the program's own marks between them.
package final class HistoryBook: TaskObserver {
  private let entries = Locked<[History.Entry]>([])

  package init() {}

  package func observe(_ event: TaskEvent) {
    entries.withLock { $0.append(.init(line: .event(event), time: event.time.nanoseconds)) }
  }

  package func mark(_ line: History.Line, at time: DispatcherInstant) {
    entries.withLock { $0.append(.init(line: line, time: time.nanoseconds)) }
  }

  package var all: [History.Entry] { entries.withLock { $0 } }
}
