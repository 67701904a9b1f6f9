import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A limit of steps")
struct StepLimitTests {
  @Test("ends a chain that submits itself for ever, and names the call site that recurs")
  func namesWhatRecurs() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let chain = Chain(dispatcher.background)
    dispatcher.foreground.async(label: "once") {}
    chain.again()

    let error = stepError { try dispatcher.runUntilIdle(limit: 50) }

    guard case .stepLimitReached(50, let recurring) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(recurring.map(\.label) == ["again", "once"])
    #expect(recurring.first?.count == 49)
    #expect(recurring.first?.site.line == Chain.line)
    #expect(dispatcher.ran.count == 50)
    try dispatcher.finish()
  }

  @Test("is that of the configuration unless the call gives one")
  func fromConfiguration() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 7, leftovers: .ignore))
    Chain(dispatcher.foreground).again()

    guard
      case .stepLimitReached(7, _) = stepError({ try dispatcher.runUntilIdle() }),
      case .stepLimitReached(3, _) = stepError({ try dispatcher.runUntilIdle(limit: 3) })
    else { return }
    #expect(dispatcher.ran.count == 10)
    try dispatcher.finish()
  }

  @Test("that is just enough is no error", arguments: [1, 2, 20])
  func justEnough(count: Int) throws {
    let dispatcher = RecordingDispatcher()
    for _ in 0..<count { dispatcher.background {} }

    #expect(try dispatcher.runUntilIdle(limit: count) == count)
    try dispatcher.finish()
  }

  @Test("loses nothing: what has not run still waits")
  func losesNothing() throws {
    let dispatcher = RecordingDispatcher()
    for number in 1...5 { dispatcher.foreground.async(label: "\(number)") {} }

    _ = stepError { try dispatcher.runUntilIdle(limit: 2) }

    #expect(dispatcher.ran == ["1", "2"])
    #expect(dispatcher.pendingTasks.labels == ["3", "4", "5"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of one lane is not spent by what waits on the other")
  func countsItsOwnLane() throws {
    let dispatcher = RecordingDispatcher()
    for _ in 0..<2 {
      dispatcher.foreground {}
      dispatcher.background {}
    }

    #expect(try dispatcher.runForegroundUntilIdle(limit: 2) == 2)
    #expect(try dispatcher.runBackgroundUntilIdle(limit: 2) == 2)
    try dispatcher.finish()
  }

  @Test("stops a lane of its own", arguments: Lane.allCases)
  func stopsOneLane(lane: Lane) throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    Chain(lane == .foreground ? dispatcher.foreground : dispatcher.background).again()

    let error = stepError {
      if lane == .foreground {
        try dispatcher.runForegroundUntilIdle(limit: 5)
      } else {
        try dispatcher.runBackgroundUntilIdle(limit: 5)
      }
    }

    guard case .stepLimitReached(5, _) = error else {
      Issue.record("\(error as Any)")
      return
    }
    try dispatcher.finish()
  }

  @Test("does not give up on a condition that its last step has met")
  func conditionOnLastStep() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "wanted") {}
    dispatcher.foreground {}

    #expect(try dispatcher.run(limit: 1, until: { dispatcher.hasRun("wanted") }) == 1)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("ends the wait for a condition that never holds")
  func conditionNever() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    Chain(dispatcher.foreground).again()

    guard
      case .stepLimitReached(9, _) = stepError({ try dispatcher.run(limit: 9, until: { false }) })
    else { return }
    #expect(dispatcher.ran.count == 9)
    try dispatcher.finish()
  }

  @Test("stops time at the deadline where the steps do not end")
  func stopsTime() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 20, leftovers: .ignore))
    let chain = Chain(dispatcher.foreground)
    dispatcher.foreground.after(.seconds(2)) { chain.again() }

    guard
      case .stepLimitReached(20, _) = stepError({ try dispatcher.advanceTime(by: .seconds(5)) })
    else { return }
    #expect(dispatcher.now == .start.advanced(by: .seconds(2)))
    try dispatcher.finish()
  }

  @Test("is that of each time where a call that moves time stops")
  func ofEachTime() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 5))
    let timer = dispatcher.foreground.every(.seconds(1)) { dispatcher.background {} }

    try dispatcher.advanceTime(by: .seconds(20))

    #expect(dispatcher.ledger.completed == 40)
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("is that of all times together, also where each has one step")
  func ofAllTimes() throws {
    let dispatcher = RecordingDispatcher(.init(stepLimit: 5, leftovers: .ignore))
    dispatcher.foreground.every(.nanoseconds(1), label: "clock") {}

    guard
      case .stepLimitReached(100_000, let recurring) = stepError({
        try dispatcher.advanceTime(by: .seconds(1))
      })
    else { return }
    #expect(dispatcher.ledger.completed == 100_000)
    #expect(recurring.map(\.label) == ["clock"])
    #expect(dispatcher.now == .start.advanced(by: .nanoseconds(100_001)))
    try dispatcher.finish()
  }

  @Test("names at most five call sites, the most frequent first")
  func namesFew() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    for number in 1...7 {
      for _ in 0..<number { dispatcher.background.async(label: "\(number)") {} }
    }
    dispatcher.background {}

    guard
      case .stepLimitReached(28, let recurring) = stepError({
        try dispatcher.runUntilIdle(limit: 28)
      })
    else { return }
    #expect(recurring.map(\.label) == ["7", "6", "5", "4", "3"])
    #expect(recurring.map(\.count) == [7, 6, 5, 4, 3])
    try dispatcher.finish()
  }
}

/// A task that submits itself for ever.
final class Chain: Sendable {
  static let line: UInt32 = #line + 16
  private let queue: TaskQueue

  private let delay: Duration?

  init(_ queue: TaskQueue, after delay: Duration? = nil) {
    self.queue = queue
    self.delay = delay
  }

  func again() {
    if let delay {
      queue.after(delay) { self.again() }
      return
    }
    // Kept in one line, so that `line` above can name it.
    queue.async(label: "again") { self.again() }
  }
}
