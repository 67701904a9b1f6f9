import TaskDispatch
import TestSupport
import Testing

/// Compares what a repeating timer is told of its ticks with a model that has only a list of the ticks.
@Suite("The ticks of a repeating timer")
struct TicksTests {
  @Test(
    "are each run, missed or still owed, as its way of catching up says",
    arguments: CatchUp.allCases)
  func randomPrograms(catchUp: CatchUp) {
    for seed in UInt64(0)..<3000 {
      var program = TickProgram(catchUp, seed: seed)
      let finding = program.play()
      #expect(finding == nil, "seed \(seed), \(catchUp): \(program.story.joined(separator: ", "))")
      if finding != nil { return }
    }
  }

  @Test("that nothing can keep up with are run at every second look at least, by default")
  func shorterThanAnyLook() {
    var ticks = Ticks(Repetition(every: .nanoseconds(1), catchUp: .skip), first: .start)
    var runs = 0
    for look in 1...100 {
      let now = DispatcherInstant(nanoseconds: Int64(look) * 1000 + 1)
      guard ticks.next <= now, ticks.comeDue(at: now) else { continue }
      runs += 1
      _ = ticks.beginBody(at: now)
      let isNext = ticks.endRun(at: now)
      #expect(!isNext)
    }
    #expect(runs >= 50)
  }

  @Test("cost the same, however many have come")
  func century() {
    for catchUp in CatchUp.allCases {
      var ticks = Ticks(Repetition(every: .nanoseconds(1), catchUp: catchUp), first: .start)
      let century = DispatcherInstant(nanoseconds: 3_155_760_000 * 1_000_000_000)
      let isRun = ticks.comeDue(at: century)
      #expect(isRun)
      let missed = ticks.beginBody(at: century)
      switch catchUp {
      case .skip, .once: #expect(missed == Int(century.nanoseconds))
      case .all, .spaced: #expect(missed == 0)
      }
      let isNext = ticks.endRun(at: century)
      #expect(isNext == (catchUp == .all))
    }
  }
}

/// A timer whose time moves at random, and the model that says what each call has to answer.
private struct TickProgram {
  private(set) var story: [String] = []
  private let catchUp: CatchUp
  private var dice: Dice
  private var ticks: Ticks
  private let interval: Int64
  private var now: Int64 = 0

  /// The first tick that has not come.
  private var ahead: Int64
  /// Ticks that have come, have got no run, and were not reported as missed.
  private var unanswered = 0
  /// Ticks that will get a run: any number for `.all`, at most one for `.once`.
  private var owed = 0
  private var isStopped = false
  /// Ticks that came in the body before the timer was stopped there.
  private var stoppedInBody = 0
  private var droppedLast = false

  init(_ catchUp: CatchUp, seed: UInt64) {
    self.catchUp = catchUp
    dice = Dice(seed: seed)
    interval = Int64(1 + dice.roll(20))
    ahead = Int64(dice.roll(30))
    ticks = Ticks(
      Repetition(every: .nanoseconds(interval), catchUp: catchUp),
      first: DispatcherInstant(nanoseconds: ahead))
    story = ["every \(interval) from \(ahead)"]
  }

  private var instant: DispatcherInstant { DispatcherInstant(nanoseconds: now) }

  /// The ticks that come by `time`. They do not come again.
  private mutating func come(by time: Int64) -> [Int64] {
    guard !isStopped else { return [] }
    var come: [Int64] = []
    while ahead <= time {
      come.append(ahead)
      ahead += interval
    }
    return come
  }

  /// - Returns: What is wrong, or nil.
  mutating func play() -> String? {
    for _ in 0..<30 where !isStopped {
      now += Int64(dice.roll(3) == 0 ? 0 : dice.roll(60))
      if let finding = look() { return note("WRONG: \(finding)") }
    }
    return nil
  }

  private mutating func note(_ text: String) -> String {
    story.append(text)
    return text
  }

  /// The loop looks at the timer while it has no run.
  private mutating func look() -> String? {
    guard ticks.next.nanoseconds == ahead else {
      return "waits for \(ticks.next.nanoseconds), not for \(ahead)"
    }
    guard ahead <= now else { return nil }
    let isRun = ticks.comeDue(at: instant)
    _ = note("at \(now) due: \(isRun)")
    let come = come(by: now)
    var expected = true
    switch catchUp {
    // A `.spaced` timer has no ticks of its own: the end of the last run has set `ahead`.
    case .spaced: break
    case .all: owed += come.count - 1
    case .once: unanswered += come.count - 1
    case .skip:
      let isLate = come.count > 1 && come.last != now
      expected = !(isLate && !droppedLast)
      droppedLast = isLate && !droppedLast
      unanswered += come.count - (expected ? 1 : 0)
    }
    guard isRun == expected else { return "is due, and says \(isRun)" }
    while isRun {
      guard let isNext = runOnce() else { return "what it read or said at \(now)" }
      if !isNext { break }
    }
    return nil
  }

  /// - Returns: Whether the next run is at once; nil for a wrong answer.
  private mutating func runOnce() -> Bool? {
    now += Int64(dice.roll(2) == 0 ? 0 : dice.roll(60))
    if catchUp != .spaced {
      let come = come(by: now).count
      if catchUp == .all { owed += come } else { unanswered += come }
    }
    let missed = ticks.beginBody(at: instant)
    _ = note("at \(now) runs, having missed \(missed)")
    guard missed == unanswered else { return nil }
    unanswered = 0
    now += Int64(dice.roll(3) == 0 ? 0 : dice.roll(60))
    if dice.once(in: 12), !isStopped { stop() }
    switch catchUp {
    case .spaced: if !isStopped { ahead = now + interval }
    case .all: owed += come(by: now).count + stoppedInBody
    case .once:
      let come = come(by: now).count + stoppedInBody
      if come > 0 { owed = 1 }
      unanswered += max(0, come - 1)
    case .skip: unanswered += come(by: now - 1).count + stoppedInBody
    }
    stoppedInBody = 0
    let isNext = ticks.endRun(at: instant)
    _ = note("at \(now) ends, next at once: \(isNext)")
    guard isNext == (owed > 0), ticks.isStopped == isStopped else { return nil }
    if isNext { owed -= 1 }
    return isNext
  }

  private mutating func stop() {
    stoppedInBody = come(by: now).count
    ticks.stop(at: instant)
    isStopped = true
    now += Int64(dice.roll(60))
    _ = note("stopped, until \(now)")
  }
}
