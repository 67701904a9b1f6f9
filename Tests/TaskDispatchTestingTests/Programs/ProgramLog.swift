import TaskDispatch

/// What a random program did and what came of it, in one order.
struct ProgramLog: Equatable {
  /// What the program knows of a task that it submitted. It knows this without asking the dispatcher.
  struct Facts: Equatable {
    let queue: String
    let band: PriorityBand
    var isBarrier = false
    /// The earliest time at which it may start.
    var due: Int64?
    /// How long it may wait, from its submission or its due time.
    var timeToLive: Int64?
    var repeats = false
    var isNotification = false
  }

  enum Line: Equatable {
    case event(TaskEvent)
    /// A call of `cancel()`, and its answer.
    case cancelled(String, Cancellation)
    case suspended(String)
    case resumed(String)
    case bodyBegan(String)
    case bodyEnded(String)
    /// A call of `sync` begins to wait for its queue, or has returned.
    case syncBegan
    case syncEnded
  }

  /// The line numbers that the program passes to its calls of `sync`, so that the judge can tell the two forms
  /// apart.
  static let plainSync: UInt = 900_001
  static let barrierSync: UInt = 900_002

  var workers: Int
  /// The widths of the queues, by label.
  var widths: [String: Int]
  var facts: [String: Facts] = [:]
  var lines: [Line] = []
  var ledger = Ledger()

  var events: [TaskEvent] {
    lines.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }
}
