import TaskDispatch

/// What a random program declared, and what came of it.
struct Trial: Sendable {
  struct Queue: Sendable {
    let label: String
    let width: Int
  }

  /// An interval, in tickets: from when a call had returned to when another began.
  struct Interval: Sendable {
    let queue: Int
    let from: Int
    var to = Int.max
  }

  struct ShutdownCall: Sendable {
    let called: Int
    let returned: Int
    /// Whether nothing that has not started may start any more.
    let drainsNothing: Bool
  }

  /// The first is the foreground, the second the background, and the others are views.
  var queues: [Queue]
  /// The most background bodies that may be on workers at a time.
  var workers: Int
  /// Whether no head ever ages, so that the bands are strict.
  var bandsAreStrict: Bool
  var submissions: [Submission] = []
  /// When views were surely suspended.
  var suspensions: [Interval] = []
  var shutdowns: [ShutdownCall] = []
  /// From before a `flush` began to when it had ended.
  var flushes: [Interval] = []
  /// The ticket drawn when the report had been made.
  var over = Int.max
  var ledger = Ledger()
  /// The lines of the tasks that the report names as never started.
  var neverStarted: [Int] = []
  /// How far the bodies that were alone in each queue have counted.
  var counts: [Int] = []
}
