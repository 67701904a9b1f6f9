/// A spin limit: for how long a worker run without a task spins for another before it gives its thread back, and the
/// loop's thread before it sleeps.
///
/// The limit is ``longest`` after a wait in which such a spin would have met the next task. After any other wait, it
/// falls to half.
///
/// A thread that has shared its processor with the submitting thread does not spin. Else each task would wait until one
/// of the two gives way. Another processor may be idle, but the kernel moves neither thread for as long as both want to
/// run. For a thread that is woken, the kernel looks for an idle processor.
struct SpinLimit {
  /// The limit, in nanoseconds.
  private(set) var length: Int64
  /// When a thread last began to spin in vain, or would have begun if that were allowed.
  private(set) var vainSince = Int64.min
  /// When a thread last stopped spinning because it shared its processor.
  private(set) var leftAt: Int64

  init(length: Int64 = 0, leftAt: Int64 = .min) {
    self.length = length
    self.leftAt = leftAt
  }

  /// In nanoseconds. This saves most of what it costs to end a worker run and to start one, some 10 us.
  static let longest: Int64 = 4_000
  /// In nanoseconds. To give way takes less than half of this if no other thread wants the processor.
  static let longestAway: Int64 = 1_200
  /// In nanoseconds. When all processors are busy, it does not help to leave one: so the cost of that comes no more
  /// often than this.
  static let betweenLeaving: Int64 = 100_000

  /// Whether the calling thread may spin for a task. If not, its worker run has to end, or the loop's thread has to
  /// sleep.
  ///
  /// - Parameter away: For how long other threads had its processor when it gave way in its last spin, in nanoseconds.
  mutating func allowsSearch(at now: Int64, away: Int64) -> Bool {
    let leaves = away > Self.longestAway && now >= leftAt.addingClamped(Self.betweenLeaving)
    if leaves { leftAt = now }
    guard length > 0, !leaves else {
      // ``learn(at:)`` tells by this whether a spin would have been worth it.
      vainSince = now
      return false
    }
    return true
  }

  /// A spin that began at `time` has found nothing.
  mutating func noteInVain(since time: Int64) { vainSince = time }

  /// A worker run is started, or the loop is woken, which costs microseconds. Sets the limit: would the last thread
  /// have met this task if it had spun for ``longest``?
  mutating func learn(at now: Int64) {
    let wouldHaveHelped = vainSince > .min && now - vainSince < Self.longest
    length = wouldHaveHelped ? Self.longest : length / 2
  }
}
