package import TaskDispatch

extension History {
  /// When something happened: its number among all that was noted, and the time.
  package struct Moment: Sendable {
    let stamp: Int
    let time: Int64
  }

  package enum Kind {
    case task, barrier, sync, barrierSync
    /// A delayed task, a run of a repeating timer, and what comes once a group is empty.
    case timer, run, notification
    /// The first part of a Swift Task, up to where that suspends, and each part after that.
    case job, resumption

    var isBarrier: Bool { self == .barrier || self == .barrierSync }
    /// On the background, it runs on the thread that submits it.
    package var isSync: Bool { self == .sync || self == .barrierSync }
    var countsAgainstLimits: Bool { self == .task || self == .barrier }
    /// It waits in its queue from its submission on.
    var isQueuedAtOnce: Bool { isSync || countsAgainstLimits || self == .job }
  }

  /// A queue of a program.
  package struct Queue {
    let width: Int
    let dispatcher: Int
    let isLoop: Bool
    /// How many tasks may wait in it.
    let limit: Int?

    package init(width: Int, dispatcher: Int = 0, isLoop: Bool = false, limit: Int? = nil) {
      self.width = width
      self.dispatcher = dispatcher
      self.isLoop = isLoop
      self.limit = limit
    }
  }

  /// A body that is submitted.
  package final class Entry: CustomStringConvertible, @unchecked Sendable {
    package let name: String
    package let queue: Int
    package let kind: Kind
    let band: PriorityBand
    /// How long it must wait before it begins, in nanoseconds.
    let delay: Int64
    /// After how many nanoseconds in its queue it expires.
    let lifetime: Int64?
    let asked: Moment
    /// The bodies that its thread was in.
    let outer: [Entry]
    let group: Group?
    var accepted: Moment?
    var began: Moment?
    var ended: Moment?
    /// When it was noted that it was cancelled before its start, or refused.
    var refused: Moment?
    /// When a cancellation was first asked for, and when one has first answered that the body runs.
    var cancelled: Moment?
    var requested: Moment?
    /// An outcome of it was seen.
    var hasOutcome = false
    /// A shutdown has given it up while it ran.
    var isAbandoned = false
    /// Its group is certain to hold it.
    var isInGroup = false
    /// The wait of its thread for its turn.
    var wait: Wait?

    init(
      _ name: String, _ queue: Int, _ kind: Kind, _ band: PriorityBand, delay: Int64,
      lifetime: Int64?, asked: Moment, outer: [Entry], group: Group?
    ) {
      self.name = name
      self.queue = queue
      self.kind = kind
      self.band = band
      self.delay = delay
      self.lifetime = lifetime
      self.asked = asked
      self.outer = outer
      self.group = group
    }

    var mustNotRun: Bool { refused != nil }
    var isRequested: Bool { requested != nil }
    package var hasEnded: Bool { ended != nil }
    /// Whether it runs. From when it is taken out of its queue, that is not known.
    var isInside: Bool { began != nil && ended == nil }
    /// It may have left its queue without having begun.
    var mayBeGone: Bool { mustNotRun || cancelled != nil || lifetime != nil }

    package var description: String {
      func text(_ moment: Moment?) -> String { moment.map { "\($0.stamp)" } ?? "-" }
      return
        "\(name): \(kind) \(band) on queue \(queue), asked at \(asked.stamp), "
        + "accepted at \(text(accepted)), began at \(text(began)), ended at \(text(ended))"
        + (mustNotRun ? ", cancelled" : isRequested ? ", asked to stop" : "")
    }
  }
}
