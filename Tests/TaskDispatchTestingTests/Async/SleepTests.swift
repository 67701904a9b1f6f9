import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Sleeping on the fake's clock")
struct SleepTests {
  private let dispatcher = RecordingDispatcher()
  private let log = Log()

  /// A Task that sleeps, and notes when it went on or what it threw.
  @discardableResult
  private func sleeper(
    _ name: String, for duration: Duration, on queue: TaskQueue? = nil
  ) -> Task<Void, Never> {
    Task(executorPreference: (queue ?? dispatcher.foreground).executor) { [dispatcher, log] in
      do {
        try await dispatcher.clock.sleep(for: duration)
        log.note("\(name) at \(dispatcher.now)")
      } catch {
        log.note("\(name): \(type(of: error))")
      }
    }
  }

  @Test("ends at its deadline, and not a nanosecond before")
  func deadline() throws {
    sleeper("a", for: .seconds(2))
    try dispatcher.runUntilIdle()
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(2))

    try dispatcher.advanceTime(by: .seconds(2) - .nanoseconds(1))
    #expect(log.all.isEmpty)
    try dispatcher.advanceTime(by: .nanoseconds(1))

    #expect(log.all == ["a at 2 s"])
    try dispatcher.finish()
  }

  @Test("of several ends by deadline, and by submission where they are equal")
  func order() throws {
    sleeper("late", for: .seconds(3))
    sleeper("early", for: .seconds(1))
    sleeper("first", for: .seconds(2))
    sleeper("second", for: .seconds(2))

    try dispatcher.advanceTime(by: .seconds(10))

    #expect(
      log.all == [
        "early at 1 s", "first at 2 s", "second at 2 s",
        "late at 3 s",
      ])
    #expect(dispatcher.now.sinceStart == .seconds(10))
    try dispatcher.finish()
  }

  @Test("resumes the Task on its own queue, in a step of its own")
  func ownQueue() throws {
    let dispatcher = dispatcher
    sleeper("a", for: .seconds(1), on: dispatcher.background)
    try dispatcher.runUntilIdle()

    try dispatcher.skipTime(by: .seconds(1))
    #expect(log.all.isEmpty)
    #expect(dispatcher.pendingTasks.map(\.task.lane) == [.background])
    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["a at 1 s"])
    try dispatcher.finish()
  }

  @Test("for nothing or less moves no time, and still is a step of its own", arguments: [0, -5])
  func noDuration(seconds: Int) throws {
    sleeper("a", for: .seconds(seconds))

    try dispatcher.runNextForegroundTask()
    #expect(log.all.isEmpty)
    try dispatcher.runForegroundUntilIdle()

    #expect(log.all == ["a at 0 s"])
    try dispatcher.finish()
  }

  @Test("for nothing again and again lets others run, and reaches the limit of steps")
  func spins() throws {
    let dispatcher = dispatcher
    let rounds = Slot<Int>()
    rounds.value = 0
    let task = Task(executorPreference: dispatcher.foreground.executor) {
      // The loop has a bound, so that a clock which does not suspend fails here and does not hang.
      while rounds.value! < 1_000 {
        try await dispatcher.clock.sleep(for: .zero)
        rounds.value! += 1
      }
    }
    dispatcher.foreground.async(label: "other") {}

    #expect(stepError { try dispatcher.runUntilIdle(limit: 50) } != nil)

    #expect(dispatcher.hasRun("other"))
    #expect(rounds.value! < 50)
    task.cancel()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("until the distant future never ends, however far time goes")
  func never() throws {
    let task = sleeper("a", for: .seconds(Int64.max))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.advanceTime(to: .distantFuture)
    #expect(log.all.isEmpty)

    task.cancel()
    try dispatcher.runUntilIdle()
    #expect(log.all == ["a: CancellationError"])
    try dispatcher.finish()
  }

  @Test("ends at once when its Task is cancelled, and leaves no timer behind")
  func cancelled() throws {
    let task = sleeper("a", for: .seconds(2))
    try dispatcher.runUntilIdle()

    task.cancel()
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["a: CancellationError"])
    #expect(dispatcher.now == .start)
    #expect(dispatcher.ledger.cancelled == 1)
    try dispatcher.finish()
  }

  @Test("does not begin in a Task that is cancelled already")
  func cancelledBefore() throws {
    let task = sleeper("a", for: .seconds(2))
    task.cancel()

    try dispatcher.runUntilIdle()

    #expect(log.all == ["a: CancellationError"])
    #expect(dispatcher.ledger.submitted == 1, "the job, and no sleep")
    try dispatcher.finish()
  }

  @Test("that has ended is not undone by a cancellation that comes before the Task goes on")
  func cancelledTooLate() throws {
    let task = sleeper("a", for: .seconds(2))
    try dispatcher.runUntilIdle()
    try dispatcher.skipTime(by: .seconds(2))

    task.cancel()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["a at 2 s"])
    try dispatcher.finish()
  }

  @Test("ends with a CancellationError when a shutdown begins, and is refused after that")
  func shutdown() throws {
    sleeper("a", for: .seconds(2))
    try dispatcher.runUntilIdle()

    dispatcher.beginShutdown()
    sleeper("b", for: .seconds(2))
    try dispatcher.runUntilIdle()

    #expect(log.all == ["a: CancellationError", "b: CancellationError"])
    #expect(dispatcher.now == .start)
    try dispatcher.finish()
  }

  @Test("is measured by the clock in virtual time, and no real time passes")
  func measured() throws {
    let dispatcher = dispatcher

    let (before, duration) = try dispatcher.runAsync(movingTime: true) {
      let clock = dispatcher.clock
      let before = clock.now
      return (before, try await clock.measure { try await clock.sleep(for: .seconds(86_400)) })
    }

    #expect(before == .start)
    #expect(duration == .seconds(86_400))
    #expect(dispatcher.clock.minimumResolution == .nanoseconds(1))
    try dispatcher.finish()
  }
}
