public import Synchronization

/// One submission, and what became of it as its submitting thread and its body see it.
public final class Ticket: Sendable {
  public enum Form: UInt8, Sendable, CaseIterable, Codable {
    case posted, asked, reply, handled, timer, repeating, synced, awaited, notification, late,
      event
  }

  /// How far the submission has come. It only increases.
  public enum Phase {
    static let submitted: UInt8 = 0
    static let running: UInt8 = 1
    static let ran: UInt8 = 2
    static let cancelled: UInt8 = 3
    static let expired: UInt8 = 4
    static let refused: UInt8 = 5
  }

  /// Identifies the submission and the thread that made it.
  public let number: UInt64
  /// The number of its queue.
  public let queue: Int
  public let form: Form
  /// The number of its band, 0 to 3.
  public let band: Int
  public let isBarrier: Bool
  /// Whether only a shutdown can keep it from running, so that it takes part in the order.
  public let isCertain: Bool
  /// The index of the thread that submitted it.
  public let stream: Int
  /// How many certain submissions of its stream to its queue and band came before it.
  public let sequence: Int
  /// How many certain submissions of its stream to its queue came before it.
  public let before: Int
  /// How many barriers of its stream to its queue came before it.
  public let barriersBefore: Int
  /// When it was submitted, in nanoseconds.
  public let submittedAt: Int64
  /// The earliest time of its run, in nanoseconds; 0 if it is no timer.
  public let due: Int64
  /// What its body does depends on this alone.
  public let seed: UInt64
  /// When the call that submitted it had returned; `max` before that.
  public let returnedAt = Atomic<Int64>(.max)
  /// When the first call of `cancel()` had returned that says the body had started; `max` before that.
  let saidStartedAt = Atomic<Int64>(.max)
  let phase = Atomic<UInt8>(Phase.submitted)
  /// How often it has run, if it repeats.
  public let runs = Atomic<Int>(0)

  init(
    number: UInt64, queue: Int, form: Form, band: Int, isBarrier: Bool, isCertain: Bool,
    stream: Int, sequence: Int, before: Int, barriersBefore: Int, submittedAt: Int64, due: Int64,
    seed: UInt64
  ) {
    self.number = number
    self.queue = queue
    self.form = form
    self.band = band
    self.isBarrier = isBarrier
    self.isCertain = isCertain
    self.stream = stream
    self.sequence = sequence
    self.before = before
    self.barriersBefore = barriersBefore
    self.submittedAt = submittedAt
    self.due = due
    self.seed = seed
  }

  public var hasRun: Bool { phase.load(ordering: .acquiring) == Phase.ran }
  public var hasBegun: Bool {
    let phase = phase.load(ordering: .acquiring)
    return phase == Phase.running || phase == Phase.ran
  }
  /// Whether it is known that it never runs.
  public var hasEndedUnrun: Bool { phase.load(ordering: .acquiring) > Phase.ran }
  public var wasRefused: Bool { phase.load(ordering: .acquiring) == Phase.refused }
  public var isFinal: Bool { phase.load(ordering: .acquiring) >= Phase.ran }

  public var description: String {
    let bands = ["high", "medium", "low", "lowest"]
    return "\(form)\(isBarrier ? " barrier" : "") \(number >> 40).\(number & 0xff_ffff_ffff) "
      + "(\(bands[band]))"
  }
}
