/// For how long a lease that has run out of tasks looks for another before it gives its thread back, and
/// the loop before it sleeps.
///
/// Not at all, unless that would have helped the last time.
///
/// Nor when it has shared its processor with whoever submits. Then each task waits until one of the two
/// gives way, while another processor may be idle, and the kernel moves neither for as long as both want
/// to run. For a thread that is woken, the next lease's or the loop's, the kernel looks for an idle
/// processor.
struct Patience {
  /// In nanoseconds.
  private(set) var length: Int64
  /// When the last lease began to look in vain, or would have if that were allowed.
  private(set) var vainSince = Int64.min
  /// When a lease last ended because it shared its processor.
  private(set) var leftAt: Int64

  init(length: Int64 = 0, leftAt: Int64 = .min) {
    self.length = length
    self.leftAt = leftAt
  }

  /// Spares most of what it costs to end a lease and to start one, some 10 us.
  static let longest: Int64 = 4_000
  /// To give way takes less than half of that when nobody else wants the processor.
  static let longestAway: Int64 = 1_200
  /// When all processors are busy, it does not help to leave one: what that costs comes no more often.
  static let betweenLeaving: Int64 = 100_000

  /// Whether a lease may look for a task. If not, it has to end.
  ///
  /// - Parameter away: For how long others had its processor, when it gave way in its last search.
  mutating func allowsSearch(at now: Int64, away: Int64) -> Bool {
    let leaves = away > Self.longestAway && now >= leftAt.addingClamped(Self.betweenLeaving)
    if leaves { leftAt = now }
    guard length > 0, !leaves else {
      // The next lease knows by that whether it would have been worth it.
      vainSince = now
      return false
    }
    return true
  }

  /// A search that began at `time` has found nothing.
  mutating func noteInVain(since time: Int64) { vainSince = time }

  /// A lease is started, which costs microseconds. Would one of the last have met this task if it had
  /// gone on looking for as long as is allowed?
  mutating func learn(at now: Int64) {
    let wouldHaveHelped = vainSince > .min && now - vainSince < Self.longest
    length = wouldHaveHelped ? Self.longest : length / 2
  }
}
