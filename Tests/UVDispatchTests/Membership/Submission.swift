import TaskDispatch

/// One submission of a random program: what it asked for, and what its own calls and body noted.
///
/// Moments are *tickets*, drawn from one counter: the lower was drawn first.
struct Submission: Sendable {
  enum Form: Sendable {
    /// A plain body: no options and no handle.
    case posted
    /// With options, and a handle.
    case handled
    case timer
    case repeating
    case notification
    /// Plain, with an answer on the foreground, which stands in the same line.
    case asked
    /// That answer. Submitted when the body has ended, nobody notes when.
    case reply
    case sync
    /// By `run`, from a Swift Task.
    case awaited
  }

  struct Run: Sendable {
    let began: Int
    var ended: Int?
    /// When it began, in nanoseconds of the dispatcher's clock.
    let time: Int64
    let thread: UInt
  }

  struct Cancel: Sendable {
    let called: Int
    let returned: Int
    let answer: Cancellation
  }

  /// The ticket of its call. It also claims to stand in this line, which finds it in a report.
  let called: Int
  let form: Form
  /// Which queue of the program; 0 is the foreground.
  let queue: Int
  let band: PriorityBand
  let isBarrier: Bool
  /// The submission whose body made this one.
  let parent: Int?
  /// Who made it.
  let thread: UInt
  /// Not before this time.
  var due: Int64?
  var timeToLive: Int64?
  /// Of a repeating timer.
  var catchUp: CatchUp?
  var isSkippedAtShutdown = false

  /// When the call came back.
  var returned = Int.max
  /// Nil if nobody told: it is not known for a reply.
  var isAccepted: Bool?
  /// A `sync` that was told that it would wait for itself.
  var wouldDeadlock = false
  /// When somebody had waited for its end.
  var waited = Int.max
  var runs: [Run] = []
  var cancels: [Cancel] = []
  /// What the handle says in the end.
  var outcome: Outcome?

  var began: Int? { runs.first?.began }
  var ended: Int? { runs.first.flatMap(\.ended) }

  /// It stands in its queue when its call returns.
  var standsOnReturn: Bool {
    switch form {
    case .posted, .asked, .handled, .sync, .awaited: true
    case .timer, .repeating, .notification, .reply: false
    }
  }

  /// Whether somebody was told that its body never runs.
  var isCancelled: Bool { outcome == .cancelled || cancels.contains { $0.answer == .beforeStart } }
}

extension Submission: CustomStringConvertible {
  var description: String {
    let runs = runs.map { "\($0.began)…\($0.ended.map { "\($0)" } ?? "")" }.joined(separator: ", ")
    return "#\(called) (\(form)\(isBarrier ? ", barrier" : ""), \(band), on queue \(queue), "
      + "returned at \(returned), ran at [\(runs)])"
  }
}
