package import TaskDispatch

/// One submission of a random program: what it asked for, and what its own calls and its body noted.
///
/// Moments are *tickets*, drawn from one counter: the lower one was drawn first.
package struct Submission: Sendable, Equatable {
  package enum Form: Sendable {
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

  package struct Run: Sendable, Equatable {
    package let began: Int
    package var ended: Int?
    /// When it began, in nanoseconds of the dispatcher's clock.
    package let time: Int64
    package let thread: UInt

    package init(began: Int, ended: Int? = nil, time: Int64, thread: UInt) {
      self.began = began
      self.ended = ended
      self.time = time
      self.thread = thread
    }
  }

  package struct Cancel: Sendable, Equatable {
    package let called: Int
    package let returned: Int
    package let answer: Cancellation

    package init(called: Int, returned: Int, answer: Cancellation) {
      self.called = called
      self.returned = returned
      self.answer = answer
    }
  }

  /// The ticket of its call. The submission claims it as its line number too, by which a report names it.
  package let called: Int
  package let form: Form
  /// The index of its queue in the program; 0 is the foreground.
  package let queue: Int
  package let band: PriorityBand
  package let isBarrier: Bool
  /// The submission whose body made this one.
  package let parent: Int?
  /// The thread that made it.
  package let thread: UInt
  package var label: String?
  /// The earliest time at which it may run.
  package var due: Int64?
  package var timeToLive: Int64?
  /// How a repeating timer catches up.
  package var catchUp: CatchUp?
  package var isSkippedAtShutdown = false

  /// The ticket drawn when its call had returned.
  package var returned = Int.max
  /// Nil if no call tells. That is so for a reply.
  package var isAccepted: Bool?
  /// Whether its `sync`, or a wait for it, was refused as a deadlock.
  package var wouldDeadlock = false
  /// The first ticket that was drawn after a wait for its end had returned.
  package var waited = Int.max
  package var runs: [Run] = []
  package var cancels: [Cancel] = []
  /// The outcome that its handle has in the end.
  package var outcome: Outcome?

  package init(
    called: Int, form: Form, queue: Int, band: PriorityBand, isBarrier: Bool, parent: Int?,
    thread: UInt
  ) {
    self.called = called
    self.form = form
    self.queue = queue
    self.band = band
    self.isBarrier = isBarrier
    self.parent = parent
    self.thread = thread
  }

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
  package var description: String {
    let runs = runs.map { "\($0.began)…\($0.ended.map { "\($0)" } ?? "")" }.joined(separator: ", ")
    return "#\(called) (\(form)\(isBarrier ? ", barrier" : ""), \(band), on queue \(queue), "
      + "returned at \(returned), ran at [\(runs)])"
  }
}
