import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Advancing virtual time")
struct AdvanceTimeTests {
  @Test("begins at zero and moves only when told to")
  func beginsAtZero() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.now == .start)
    #expect(dispatcher.clock.now == .start)
    try dispatcher.finish()
  }

  @Test("moves time also if nothing waits")
  func movesAnyway() throws {
    let dispatcher = RecordingDispatcher()

    try dispatcher.advanceTime(by: .seconds(5))
    try dispatcher.advanceTime(to: .start.advanced(by: .seconds(7)))

    #expect(dispatcher.now.sinceStart == .seconds(7))
    try dispatcher.finish()
  }

  @Test("runs a timer at its deadline, not a nanosecond before", arguments: Lane.allCases)
  func isInclusive(lane: Lane) throws {
    let dispatcher = RecordingDispatcher()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    queue.after(.seconds(10), label: "timer") {}

    try dispatcher.advanceTime(by: .seconds(10) - .nanoseconds(1))
    #expect(dispatcher.ran.isEmpty)

    try dispatcher.advanceTime(by: .nanoseconds(1))
    #expect(dispatcher.ran == ["timer"])
    try dispatcher.finish()
  }

  @Test("stops at each deadline, which is what time it is inside the task")
  func stopsAtEach() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    for seconds in [3, 1, 2] {
      dispatcher.foreground.after(.seconds(seconds)) { log.note("\(dispatcher.now)") }
    }
    dispatcher.background.after(.milliseconds(1500)) { log.note("\(dispatcher.now)") }

    try dispatcher.advanceTime(by: .seconds(10))

    #expect(log.all == ["1 s", "1.5 s", "2 s", "3 s"])
    #expect(dispatcher.now.sinceStart == .seconds(10))
    try dispatcher.finish()
  }

  @Test("runs what is due together in the order of submission", arguments: Lane.allCases)
  func dueTogether(lane: Lane) throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    queue.after(.seconds(2), label: "c") {}
    queue.after(.seconds(1), label: "a") {}
    queue.after(.seconds(1), label: "b") {}

    try dispatcher.skipTime(by: .seconds(5))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["a", "b", "c"])
    try dispatcher.finish()
  }

  @Test("runs first what waits, before time moves")
  func runsWhatWaits() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground { log.note("\(dispatcher.now)") }
    dispatcher.background { log.note("\(dispatcher.now)") }

    try dispatcher.advanceTime(by: .seconds(1))

    #expect(log.all == ["0 s", "0 s"])
    try dispatcher.finish()
  }

  @Test("by zero runs what is due now")
  func byZero() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.after(.seconds(1), label: "due") {}
    try dispatcher.skipTime(by: .seconds(1))

    try dispatcher.advanceTime(by: .zero)

    #expect(dispatcher.ran == ["due"])
    #expect(dispatcher.now.sinceStart == .seconds(1))
    try dispatcher.finish()
  }

  @Test("runs what a due task leads to before it goes on, timers inside the span included")
  func runsWhatFollows() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground.after(.seconds(1)) {
      dispatcher.background { log.note("follows at \(dispatcher.now)") }
      dispatcher.foreground.after(.seconds(1)) { log.note("chained at \(dispatcher.now)") }
      dispatcher.foreground.after(.seconds(9)) { log.note("beyond the span") }
    }
    dispatcher.foreground.after(.seconds(2)) { log.note("other at \(dispatcher.now)") }

    try dispatcher.advanceTime(by: .seconds(3))

    #expect(
      log.all
        == ["follows at 1 s", "other at 2 s", "chained at 2 s"])
    #expect(dispatcher.pendingTasks.count == 1)
    try dispatcher.advanceTime(by: .seconds(7))
    #expect(log.all.last == "beyond the span")
    try dispatcher.finish()
  }

  @Test("driving the loop only leaves the background to be stepped")
  func drivingLoop() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "posted") {}
    dispatcher.background.after(.seconds(1), label: "pool timer") {}
    dispatcher.foreground.after(.seconds(1), label: "loop timer") {}

    try dispatcher.advanceTime(by: .seconds(2), driving: .loop)

    #expect(dispatcher.ran == ["loop timer"])
    #expect(dispatcher.runnableTasks.labels == ["posted", "pool timer"])
    #expect(try dispatcher.runNextBackgroundTask().label == "posted")
    #expect(try dispatcher.runNextBackgroundTask().label == "pool timer")
    try dispatcher.finish()
  }

  @Test("to the next deadline runs what is there, and says when that was")
  func toNextDeadline() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "posted") {}
    dispatcher.foreground.after(.seconds(4), label: "second") {}
    dispatcher.background.after(.seconds(2), label: "first") {}
    dispatcher.foreground.after(.seconds(2), label: "also first") {}
    #expect(dispatcher.nextDeadline == .start.advanced(by: .seconds(2)))

    #expect(try dispatcher.advanceToNextDeadline() == .start.advanced(by: .seconds(2)))
    #expect(Set(dispatcher.ran) == ["posted", "first", "also first"])

    #expect(try dispatcher.advanceToNextDeadline().sinceStart == .seconds(4))
    #expect(dispatcher.hasRun("second"))
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.finish()
  }

  @Test("to the next deadline, driving the loop only, leaves the background queued")
  func toNextDeadlineDrivingLoop() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.after(.seconds(2), label: "pool timer") {}

    try dispatcher.advanceToNextDeadline(driving: .loop)

    #expect(dispatcher.runnableTasks.labels == ["pool timer"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("to the next deadline throws if nothing waits for a time, and says what waits instead")
  func noDeadline() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "posted") {}

    guard
      case .nothingQueued(let place, let elsewhere, nil) = stepError({
        try dispatcher.advanceToNextDeadline()
      })
    else { return }

    #expect(place == "any timer")
    #expect(elsewhere.labels == ["posted"])
    #expect(dispatcher.ran.isEmpty)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("does not run a timer that was cancelled, nor stop for it")
  func cancelled() throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.foreground.after(.seconds(1)) {}

    #expect(timer.cancel() == .beforeStart)
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.advanceTime(by: .seconds(2))

    #expect(dispatcher.ran.isEmpty)
    #expect(timer.outcomeIfFinished == .cancelled)
    try dispatcher.finish()
  }

  @Test("and stepping one task at a time agree on what runs when")
  func stepByStep() throws {
    let whole = RecordingDispatcher()
    let stepped = RecordingDispatcher()
    for dispatcher in [whole, stepped] {
      dispatcher.foreground.every(.seconds(2), label: "tick") {}
      dispatcher.background.after(.seconds(3), label: "once") {
        dispatcher.foreground.async(label: "reply") {}
      }
    }

    try whole.advanceTime(by: .seconds(6))
    while let next = stepped.nextDeadline, next <= .start.advanced(by: .seconds(6)) {
      try stepped.advanceToNextDeadline()
    }

    #expect(whole.ran == ["tick", "once", "reply", "tick", "tick"])
    #expect(whole.history.map(\.kind) == stepped.history.map(\.kind))
    #expect(whole.history.map(\.time) == stepped.history.map(\.time))
  }
}
