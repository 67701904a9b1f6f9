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
  /// Stalls that are over, and that the watchdog has not told of.
  private(set) var ended: [Stall.Facts] = []
  /// The watchdog sleeps until a body starts, or until it has to tell of one that it knows.
  private(set) var isParked = false
  /// How many stalls go on that were told of.
  private(set) var toldCount = 0
  private let loop: Int64
  private let workers: Int64
  private var samples: [Occupant: Sample] = [:]
  private var look = 0
  private var next = Int64.max
  /// Something was seen in this look for the first time.
  private var hasNew = false
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
    hasNew = false
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
    let known = samples[occupant]
    if known == nil { hasNew = true }
    var sample = known ?? Sample(since: began ?? now, next: threshold, look: look)
    sample.look = look
    let held = now - sample.since
    let isDue = held >= sample.next
    if isDue {
      while sample.next <= held { sample.next = sample.next.addingClamped(sample.next) }
      if !sample.isTold { toldCount += 1 }
      sample.isTold = true
    }
    next = min(next, sample.since.addingClamped(sample.next))
    samples[occupant] = sample
    return isDue ? held : nil
  }

  /// All that runs was looked at.
  ///
  /// - Parameter numbered: How many submissions have a number.
  /// - Returns: When the next look is due, in nanoseconds; nil if only a body that starts makes one due.
  mutating func endLook(numbered: UInt64, at now: Int64) -> Int64? {
    samples = samples.filter { $0.value.look == look }
    defer { self.numbered = numbered }
    if !hasNew && numbered == self.numbered {
      // All that runs is known, and what starts from now on wakes the watchdog.
      isParked = true
      return samples.isEmpty ? nil : next
    }
    // Bodies start all the time: each of them would have to wake the watchdog. So it looks again by itself.
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

  /// A stall is over, and the watchdog is woken for it.
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
    let occupant: StallWatch.Occupant
    let task: TaskRecord?
    let lane: Lane
    let thread: ThreadID
    let nanoseconds: Int64
    let isOver: Bool
    let time: DispatcherInstant
  }

  /// Asks the system for the name of the thread.
  init(_ facts: Facts, _ stack: StackTrace?) {
    self.init(
      task: facts.task, lane: facts.lane, thread: ThreadRecord(of: facts.thread),
      duration: .nanoseconds(facts.nanoseconds), isOver: facts.isOver, time: facts.time,
      stack: stack)
  }
}
