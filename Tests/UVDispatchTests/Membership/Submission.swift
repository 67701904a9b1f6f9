import TaskDispatch

/// One submission of a random program: what it asked for, and what its own calls and its body noted.
///
/// Moments are *tickets*, drawn from one counter: the lower one was drawn first.
struct Submission: Sendable {
  enum Form: Sendable {
    /// A plain body: no options and no handle.
    case posted
    /// With options and a handle.
    case handled
    case timer
    case repeating
    case notification
    /// A plain body with a reply on the foreground, which claims the same line number.
    case asked
    /// The reply to an asked task. The dispatcher submits it when the body has ended; no note tells when.
    case reply
    case sync
    /// Submitted by `run`, from a Swift Task.
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

  /// The ticket of its call. The submission claims it as its line number too, by which a report names it.
  let called: Int
  let form: Form
  /// The index of its queue in the program; 0 is the foreground.
  let queue: Int
  let band: PriorityBand
  let isBarrier: Bool
  /// The submission whose body made this one.
  let parent: Int?
  /// The thread that made it.
  let thread: UInt
  /// The earliest time at which it may run.
  var due: Int64?
  var timeToLive: Int64?
  /// How a repeating timer catches up.
  var catchUp: CatchUp?
  var isSkippedAtShutdown = false

  /// The ticket drawn when its call had returned.
  var returned = Int.max
  /// Nil if no call tells. That is so for a reply.
  var isAccepted: Bool?
  /// Whether its `sync`, or a wait for it, was refused as a deadlock.
  var wouldDeadlock = false
  /// The first ticket that was drawn after a wait for its end had returned.
  var waited = Int.max
  var runs: [Run] = []
  var cancels: [Cancel] = []
  /// The outcome that its handle has in the end.
  var outcome: Outcome?

  var began: Int? { runs.first?.began }
  var ended: Int? { runs.first.flatMap(\.ended) }

  /// Whether it is in its queue when its call returns.
  var standsOnReturn: Bool {
    switch form {
    case .posted, .asked, .handled, .sync, .awaited: true
    case .timer, .repeating, .notification, .reply: false
    }
  }

  /// Whether an outcome or an answer said that its body never runs.
  var isCancelled: Bool { outcome == .cancelled || cancels.contains { $0.answer == .beforeStart } }
}

extension Submission: CustomStringConvertible {
  var description: String {
    let runs = runs.map { "\($0.began)…\($0.ended.map { "\($0)" } ?? "")" }.joined(separator: ", ")
    return "#\(called) (\(form)\(isBarrier ? ", barrier" : ""), \(band), on queue \(queue), "
      + "returned at \(returned), ran at [\(runs)])"
  }
}
