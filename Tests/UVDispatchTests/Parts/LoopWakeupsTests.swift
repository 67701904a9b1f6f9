import TestSupport
import Testing

@testable import UVDispatch

@Suite("When the loop's thread is woken, as a value")
struct LoopWakeupsTests {
  /// Where the loop's thread may be, and how far a wake-up for it has come.
  enum Place: CaseIterable {
    /// It sleeps.
    case asleep
    /// It sleeps. A thread has asked for a wake-up, and has not freed the lock.
    case woken
    /// It sleeps. A thread has freed the lock, and is about to wake it.
    case sending
    /// It has ended an iteration, and begins another at once.
    case goingOn
    case iterating, spinning, told, over
  }

  /// What may happen under the lock. The loop's timer is set for the instant 100.
  enum Step: CaseIterable {
    case request, want, deadline99, deadline100, takePending
    case endWake, begin, endAsleep, endAgain, beginSpin, endSpin, end

    /// Whether it may happen wherever the loop's thread is.
    var isAlwaysLegal: Bool {
      switch self {
      case .request, .want, .deadline99, .deadline100, .takePending: true
      case .endWake, .begin, .endAsleep, .endAgain, .beginSpin, .endSpin, .end: false
      }
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let step: Step
    let place: Place
    /// What the step returns, the state after it, and what is noted then.
    let result: String

    init(_ step: Step, _ place: Place, _ result: String) {
      (self.step, self.place, self.result) = (step, place, result)
    }

    var testDescription: String { "\(step) while \(place): \(result)" }
  }

  static let table: [Row] = [
    Row(.request, .asleep, "wake: woken, pending, in flight"),
    Row(.request, .woken, "nothing: woken, pending, in flight"),
    Row(.request, .sending, "nothing: woken, in flight"),
    Row(.request, .goingOn, "nothing: woken"),
    Row(.request, .iterating, "nothing: iterating"),
    Row(.request, .spinning, "hint: told"),
    Row(.request, .told, "nothing: told"),
    Row(.request, .over, "nothing: over"),

    Row(.want, .asleep, "asleep, wanted"),
    Row(.want, .woken, "woken, wanted, pending, in flight"),
    Row(.want, .sending, "woken, wanted, in flight"),
    Row(.want, .goingOn, "woken, wanted"),
    Row(.want, .iterating, "iterating, wanted"),
    Row(.want, .spinning, "spinning, wanted"),
    Row(.want, .told, "told, wanted"),
    Row(.want, .over, "over, wanted"),

    // An iteration that is on its way, or goes on, looks at the timers before it ends.
    Row(.deadline99, .asleep, "asleep, wanted"),
    Row(.deadline99, .woken, "woken, pending, in flight"),
    Row(.deadline99, .sending, "woken, in flight"),
    Row(.deadline99, .goingOn, "woken"),
    Row(.deadline99, .iterating, "iterating"),
    Row(.deadline99, .spinning, "spinning, wanted"),
    Row(.deadline99, .told, "told"),
    Row(.deadline99, .over, "over"),

    Row(.deadline100, .asleep, "asleep"),
    Row(.deadline100, .woken, "woken, pending, in flight"),
    Row(.deadline100, .sending, "woken, in flight"),
    Row(.deadline100, .goingOn, "woken"),
    Row(.deadline100, .iterating, "iterating"),
    Row(.deadline100, .spinning, "spinning"),
    Row(.deadline100, .told, "told"),
    Row(.deadline100, .over, "over"),

    Row(.takePending, .asleep, "false: asleep"),
    Row(.takePending, .woken, "true: woken, in flight"),
    Row(.takePending, .sending, "false: woken, in flight"),
    Row(.takePending, .goingOn, "false: woken"),
    Row(.takePending, .iterating, "false: iterating"),
    Row(.takePending, .spinning, "false: spinning"),
    Row(.takePending, .told, "false: told"),
    Row(.takePending, .over, "false: over"),

    Row(.endWake, .sending, "woken"),

    // A post wakes the loop without the lock: then no thread has asked for the iteration here.
    Row(.begin, .asleep, "false: iterating"),
    // Or the post is quicker than the thread that asked.
    Row(.begin, .woken, "true: iterating, pending, in flight"),
    Row(.begin, .sending, "true: iterating, in flight"),
    Row(.begin, .goingOn, "true: iterating"),

    Row(.endAsleep, .iterating, "asleep"),
    Row(.endAgain, .iterating, "woken"),
    Row(.beginSpin, .iterating, "spinning"),
    Row(.endSpin, .spinning, "iterating"),
    Row(.endSpin, .told, "iterating"),

    Row(.end, .asleep, "over"),
    Row(.end, .woken, "over, pending, in flight"),
    Row(.end, .sending, "over, in flight"),
    Row(.end, .goingOn, "over"),
  ]

  /// The value at `place`, reached as the dispatcher reaches it.
  private func loop(at place: Place) -> LoopWakeups {
    var loop = LoopWakeups()
    loop.timerIsSetFor = 100
    switch place {
    case .asleep: break
    case .woken, .sending:
      _ = loop.request { 0 }
      if place == .sending { _ = loop.takePending() }
    case .goingOn:
      _ = loop.beginIteration()
      loop.endIteration(again: true)
    case .iterating: _ = loop.beginIteration()
    case .spinning, .told:
      _ = loop.beginIteration()
      loop.beginSpin()
      if place == .told { _ = loop.request { 0 } }
    case .over: loop.end()
    }
    return loop
  }

  /// - Returns: What the step returns, as a text; empty if it returns nothing.
  private func perform(_ step: Step, on loop: inout LoopWakeups) -> String {
    switch step {
    case .request: return "\(loop.request { 0 }): "
    case .want: loop.want()
    case .deadline99: loop.noteDeadline(99)
    case .deadline100: loop.noteDeadline(100)
    case .takePending: return "\(loop.takePending()): "
    case .endWake: loop.endWake()
    case .begin: return "\(loop.beginIteration()): "
    case .endAsleep: loop.endIteration(again: false)
    case .endAgain: loop.endIteration(again: true)
    case .beginSpin: loop.beginSpin()
    case .endSpin: loop.endSpin()
    case .end: loop.end()
    }
    return ""
  }

  private func text(of loop: LoopWakeups) -> String {
    var words = ["\(loop.state)"]
    if loop.isWanted { words.append("wanted") }
    if loop.isPending { words.append("pending") }
    if loop.inFlight != 0 { words.append(loop.inFlight == 1 ? "in flight" : "\(loop.inFlight)") }
    return words.joined(separator: ", ")
  }

  @Test("each step, wherever the loop's thread may be, returns and notes this", arguments: table)
  func step(_ row: Row) {
    var loop = loop(at: row.place)

    let result = perform(row.step, on: &loop)

    #expect(result + text(of: loop) == row.result)
    #expect(loop.isPending == row.result.contains("pending"))
    #expect(loop.isOver == row.result.contains("over"))
  }

  @Test("a thread's wish for an iteration lasts until one begins, and no longer", arguments: table)
  func wish(_ row: Row) {
    var loop = loop(at: row.place)
    loop.want()

    _ = perform(row.step, on: &loop)

    #expect(loop.isWanted == (row.step != .begin))
  }

  @Test("the table has each step that may always happen, once for each place")
  func complete() {
    for step in Step.allCases {
      let places = Self.table.filter { $0.step == step }.map(\.place)
      #expect(Set(places).count == places.count)
      #expect(step.isAlwaysLegal ? places.count == Place.allCases.count : !places.isEmpty)
    }
  }

  @Test("the loop's thread has to be told of work while it sleeps and while it spins, untold")
  func mustBeTold() {
    let places = Place.allCases.filter { loop(at: $0).mustBeTold }

    #expect(places == [.asleep, .spinning])
  }

  @Test(
    "the clock is read for a wake-up alone, and the loop learns from that",
    arguments: Place.allCases)
  func clock(place: Place) {
    var loop = loop(at: place)
    loop.spinLimit = SpinLimit(length: 8)
    loop.spinLimit.noteInVain(since: 0)
    var reads = 0

    _ = loop.request {
      reads += 1
      return 10
    }

    #expect(reads == (place == .asleep ? 1 : 0))
    #expect(loop.spinLimit.length == (place == .asleep ? 4_000 : 8))
  }

  @Test("wake-ups that are in flight at the same time are counted one by one")
  func severalInFlight() {
    var loop = LoopWakeups()
    for _ in 0..<3 {
      _ = loop.request { 0 }
      _ = loop.takePending()
      _ = loop.beginIteration()
      loop.endIteration(again: false)
    }
    #expect(loop.inFlight == 3)

    loop.end()
    loop.endWake()

    #expect(loop.inFlight == 2)
  }

  @Test("no random order of threads loses a wake-up, or sends two for one sleep", arguments: 1...30)
  func random(seed: Int) {
    var dice = Dice(seed: seed)
    var program = LoopProgram()
    for step in 0..<400 {
      program.step(&dice)
      #expect(program.workIsSeenTo, "seed \(seed), step \(step): \(program)")
      #expect(program.loop.inFlight == program.senders + program.landing, "step \(step)")
    }

    program.drain()

    #expect(program.isAtRest, "seed \(seed): \(program)")
    #expect(program.mostWakes == 1)
  }
}

/// Threads that add work or wish for an iteration, threads that wake the loop, and the loop's thread. The loop's thread
/// moves by what has reached it alone: its descriptor, its hint, and its own steps.
private struct LoopProgram {
  enum Thread { case asleep, goingOn, iterating, spinning }

  var loop = LoopWakeups()
  var thread = Thread.asleep
  var work = 0
  var isWished = false
  /// The loop's descriptor is readable.
  var isSignalled = false
  var isHinted = false
  /// Threads that have taken a pending wake-up, and have not written to the descriptor.
  var senders = 0
  /// Threads that have written to it, and have not counted themselves down.
  var landing = 0
  /// Wake-ups that were asked for since the loop's thread fell asleep, and the most of all sleeps.
  var wakes = 0
  var mostWakes = 0

  /// Whether what is to be done is certain to be looked at.
  var workIsSeenTo: Bool {
    guard work > 0 || isWished else { return true }
    return switch thread {
    case .asleep: isSignalled || senders > 0
    case .spinning: isHinted
    case .goingOn, .iterating: true
    }
  }

  var isAtRest: Bool {
    work == 0 && !isWished && thread == .asleep && loop.state == .asleep && loop.inFlight == 0
  }

  /// Frees the lock as the engine does.
  private mutating func unlock() {
    if loop.mustBeTold, loop.isWanted || work > 0 {
      switch loop.request(at: { 0 }) {
      case .nothing: break
      case .hint: isHinted = true
      case .wake:
        wakes += 1
        mostWakes = max(mostWakes, wakes)
      }
    }
    if loop.takePending() { senders += 1 }
  }

  mutating func step(_ dice: inout Dice) {
    switch dice.roll(10) {
    case 0:
      work += 1
      unlock()
    case 1:
      loop.want()
      isWished = true
      unlock()
    case 2: send()
    case 3: land()
    case 4 where thread == .iterating && work == 0:
      loop.beginSpin()
      thread = .spinning
      isHinted = false
      unlock()
    case 5 where thread == .spinning: endSpin()
    default: moveLoop()
    }
  }

  private mutating func send() {
    guard senders > 0 else { return }
    senders -= 1
    landing += 1
    isSignalled = true
  }

  private mutating func land() {
    guard landing > 0 else { return }
    landing -= 1
    loop.endWake()
  }

  private mutating func endSpin() {
    loop.endSpin()
    thread = .iterating
  }

  /// The loop's thread goes on, if it can.
  private mutating func moveLoop() {
    switch thread {
    case .asleep where isSignalled, .goingOn:
      isSignalled = false
      isWished = false
      wakes = 0
      _ = loop.beginIteration()
      thread = .iterating
    case .iterating where work > 0: work -= 1
    case .iterating:
      let again = loop.isWanted
      loop.endIteration(again: again)
      thread = again ? .goingOn : .asleep
      unlock()
    case .spinning where isHinted: endSpin()
    case .asleep, .spinning: break
    }
  }

  /// Lets all threads go on until none can.
  mutating func drain() {
    for _ in 0..<10_000 {
      send()
      land()
      if thread == .spinning { endSpin() }
      moveLoop()
    }
  }
}
