import TaskDispatch

/// What a random program did and what came of it, in one order.
struct ProgramLog: Equatable {
  /// What the program knows of a task that it submitted, told by nobody but itself.
  struct Facts: Equatable {
    let queue: String
    let band: PriorityBand
    var isBarrier = false
    /// Not before this time.
    var due: Int64?
    /// How long it may wait, from its submission or its time.
    var timeToLive: Int64?
    var repeats = false
    var isNotification = false
  }

  enum Line: Equatable {
    case event(TaskEvent)
    /// Somebody called `cancel()`, and this was the answer.
    case cancelled(String, Cancellation)
    case suspended(String)
    case resumed(String)
    case bodyBegan(String)
    case bodyEnded(String)
    /// Somebody asks for a turn in `sync`, and has come back from it.
    case syncBegan
    case syncEnded
  }

  /// The line number that the calls of `sync` of a program claim, which tells them apart.
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
