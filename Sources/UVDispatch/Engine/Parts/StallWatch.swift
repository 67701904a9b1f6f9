internal import TaskDispatch

/// What the watchdog knows of the bodies that run: since when it has seen each, and when it tells of it. A value under
/// the dispatcher's lock.
///
/// The threads that run bodies tell it nothing. It takes samples, in *looks*. Whatever runs in two looks has run from
/// the first to the second.
struct StallWatch {
  /// What may keep a thread.
  enum Occupant: Hashable {
    case task(UInt64)
    /// The callbacks after the end of a task: see ``RunningTasks/beginTelling(on:by:)``.
    case callbacks(UInt64)
  }

  private struct Sample {
    let since: Int64
    /// After how long it is told of next.
    var next: Int64
    var isTold = false
    var look: Int
  }

  /// Its thread takes the samples, once it has started.
  let watchdog = Watchdog()
  /// Stalls that were over while the watchdog told of others: it tells of these after that.
  private(set) var ended: [Stall.Facts] = []
  /// The watchdog tells of stalls, or is about to.
  private(set) var isTelling = false
  /// The watchdog sleeps until a body starts.
  private(set) var isParked = false
  /// How many stalls go on that were told of.
  private(set) var toldCount = 0
  private let loop: Int64
  private let workers: Int64
  private var samples: [Occupant: Sample] = [:]
  private var look = 0
  private var next = Int64.max
  /// How many submissions had a number at the last look.
  private var numbered: UInt64 = 0

  init(_ thresholds: StallThresholds) {
    loop = thresholds.loop.clampedNanoseconds
    workers = thresholds.workers.clampedNanoseconds
  }

  /// A look at all that runs follows.
  mutating func beginLook() {
    look += 1
    next = .max
    isTelling = false
    isParked = false
  }

  /// Something runs.
  ///
  /// - Parameter began: When it began, in nanoseconds; nil if that is not known.
  /// - Returns: For how long it has run at least, if that is to be told now.
  mutating func see(_ occupant: Occupant, on lane: Lane, since began: Int64?, at now: Int64)
    -> Int64?
  {
    let threshold = lane == .foreground ? loop : workers
    var sample =
      samples[occupant] ?? Sample(since: began ?? now, next: threshold, look: look)
    sample.look = look
    let held = now - sample.since
    let isDue = held >= sample.next
    if isDue {
      while sample.next <= held { sample.next = sample.next.addingClamped(sample.next) }
      if !sample.isTold { toldCount += 1 }
      sample.isTold = true
      isTelling = true
    }
    next = min(next, sample.since.addingClamped(sample.next))
    samples[occupant] = sample
    return isDue ? held : nil
  }

  /// All that runs was looked at.
  ///
  /// - Parameter numbered: How many submissions have a number.
  /// - Returns: When the next look is due, in nanoseconds; nil if the first body that starts wakes the watchdog.
  mutating func endLook(numbered: UInt64, at now: Int64) -> Int64? {
    samples = samples.filter { $0.value.look == look }
    defer { self.numbered = numbered }
    // What has ended during the telling is told of at once after it.
    if isTelling { return now }
    if samples.isEmpty && numbered == self.numbered {
      isParked = true
      return nil
    }
    // Other bodies may begin before the next one is due, or have begun and ended since the last look.
    let period = min(loop, workers) / 2
    return max(min(next, now + period), now + 1_000_000)
  }

  /// A body starts while the watchdog is parked, and its thread wakes the watchdog.
  mutating func unpark() { isParked = false }

  /// Since when something has run, as far as a look has seen it; nil if none has. In nanoseconds.
  func since(_ occupant: Occupant) -> Int64? { samples[occupant]?.since }

  /// Something that has run has ended.
  ///
  /// - Returns: For how long it has run, if it was told of; else nil.
  mutating func end(_ occupant: Occupant, at now: Int64) -> Int64? {
    guard let sample = samples[occupant], sample.isTold else { return nil }
    samples[occupant] = nil
    toldCount -= 1
    return now - sample.since
  }

  /// The watchdog tells of others just now, and tells of this after that.
  mutating func append(ended stall: Stall.Facts) { ended.append(stall) }

  mutating func takeEnded() -> [Stall.Facts] {
    let taken = ended
    ended = []
    return taken
  }
}

extension Stall {
  /// A stall before the system was asked for the name of its thread.
  struct Facts {
    let task: TaskRecord?
    let lane: Lane
    let thread: ThreadID
    let nanoseconds: Int64
    let isOver: Bool
    let time: DispatcherInstant
  }

  /// Asks the system for the name of the thread.
  init(_ facts: Facts) {
    self.init(
      task: facts.task, lane: facts.lane, thread: ThreadRecord(of: facts.thread),
      duration: .nanoseconds(facts.nanoseconds), isOver: facts.isOver, time: facts.time)
  }
}
