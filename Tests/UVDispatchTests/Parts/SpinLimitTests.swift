import Testing

@testable import UVDispatch

@Suite("How long a thread that has run out of tasks looks for another, as a value")
struct SpinLimitTests {
  private static let now: Int64 = 1_000_000_000

  /// A thread that asks whether it may spin. Times are in nanoseconds.
  struct Ask: Sendable, CustomTestStringConvertible {
    let limit: Int64
    /// For how long other threads had its processor.
    let away: Int64
    /// How long ago a thread left a processor that it shared. Nil if none did.
    let left: Int64?
    let maySpin: Bool
    /// Whether the thread leaves its processor because it shares it.
    let leaves: Bool

    init(_ limit: Int64, away: Int64 = 0, left: Int64? = nil, _ maySpin: Bool, leaves: Bool = false)
    {
      (self.limit, self.away, self.left) = (limit, away, left)
      (self.maySpin, self.leaves) = (maySpin, leaves)
    }

    var testDescription: String {
      "limit \(limit), away \(away), last left \(left.map { "\($0) ago" } ?? "never")"
    }

    static let table = [
      Ask(0, false),
      Ask(1, true),
      Ask(4_000, true),
      // It gave way, and no other thread wanted the processor for long.
      Ask(4_000, away: 1_200, true),
      Ask(4_000, away: 1_201, false, leaves: true),
      Ask(0, away: 1_201, false, leaves: true),
      // Where leaving has not helped, a thread does not leave again at once.
      Ask(4_000, away: 1_201, left: 1, true),
      Ask(4_000, away: 1_201, left: 99_999, true),
      Ask(4_000, away: 1_201, left: 100_000, false, leaves: true),
      Ask(4_000, away: 0, left: 100_000, true),
      Ask(0, away: 1_201, left: 99_999, false),
    ]
  }

  @Test("a thread may spin if that has paid, and if its processor is its own", arguments: Ask.table)
  func asks(_ ask: Ask) {
    let before = ask.left.map { Self.now - $0 } ?? .min
    var limit = SpinLimit(length: ask.limit, leftAt: before)

    let maySpin = limit.allowsSearch(at: Self.now, away: ask.away)

    #expect(maySpin == ask.maySpin)
    #expect(limit.leftAt == (ask.leaves ? Self.now : before))
    // A thread that may not spin notes when it would have begun, so that the next wake-up can tell.
    #expect(limit.vainSince == (ask.maySpin ? .min : Self.now))
    #expect(limit.length == ask.limit)
  }

  @Test("a thread that is never to leave its processor does not, at any time")
  func neverLeaves() {
    var limit = SpinLimit(length: 1, leftAt: .max)

    let maySpin = limit.allowsSearch(at: .max - 1, away: .max)

    #expect(maySpin)
  }

  /// A thread that is woken for a task. Times are in nanoseconds.
  struct Wake: Sendable, CustomTestStringConvertible {
    let limit: Int64
    /// How long ago it began to spin in vain, or would have begun. Nil if never.
    let slept: Int64?
    let next: Int64

    init(_ limit: Int64, slept: Int64?, next: Int64) {
      (self.limit, self.slept, self.next) = (limit, slept, next)
    }

    var testDescription: String { "limit \(limit), slept \(slept.map { "\($0)" } ?? "never")" }

    static let table = [
      Wake(0, slept: nil, next: 0),
      Wake(0, slept: 0, next: 4_000),
      Wake(0, slept: 3_999, next: 4_000),
      Wake(0, slept: 4_000, next: 0),
      Wake(500, slept: 3_999, next: 4_000),
      Wake(4_000, slept: 3_999, next: 4_000),
      Wake(4_000, slept: 4_000, next: 2_000),
      Wake(4_000, slept: nil, next: 2_000),
      Wake(2_000, slept: 1_000_000, next: 1_000),
      Wake(1, slept: 4_000, next: 0),
      // The thread that wakes it has read the clock a little earlier.
      Wake(0, slept: -5, next: 4_000),
    ]
  }

  @Test(
    "a thread that is woken soon spins for four microseconds the next time, else half as long",
    arguments: Wake.table)
  func learns(_ wake: Wake) {
    var limit = SpinLimit(length: wake.limit)
    if let slept = wake.slept { limit.noteInVain(since: Self.now - slept) }

    limit.learn(at: Self.now)

    #expect(limit.length == wake.next)
  }

  @Test("a thread that was not allowed to spin learns from that as well")
  func notAllowed() {
    let cases: [(limit: Int64, away: Int64, slept: Int64, next: Int64)] = [
      (0, 0, 3_999, 4_000), (0, 0, 4_000, 0), (4_000, 1_201, 3_999, 4_000),
      (4_000, 1_201, 4_000, 2_000),
    ]
    for one in cases {
      var limit = SpinLimit(length: one.limit)
      _ = limit.allowsSearch(at: Self.now, away: one.away)
      limit.learn(at: Self.now + one.slept)
      #expect(limit.length == one.next, "\(one)")
    }
  }

  @Test("a thread that always sleeps for long spins less and less, and then not at all")
  func inVain() {
    var limit = SpinLimit(length: SpinLimit.longest)
    var lengths: [Int64] = []
    for round in 1...13 {
      limit.noteInVain(since: 0)
      limit.learn(at: Int64(round) * 1_000_000)
      lengths.append(limit.length)
    }

    #expect(lengths == [2_000, 1_000, 500, 250, 125, 62, 31, 15, 7, 3, 1, 0, 0])
  }
}
