import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("runAsync")
struct RunAsyncTests {
  private struct Torn: Error, Equatable {}
  private let dispatcher = RecordingDispatcher()

  @Test("returns what the operation returns, and has run what it awaited and no more")
  func value() throws {
    let dispatcher = dispatcher
    dispatcher.foreground.after(.seconds(1), label: "later") {}

    let seven = try dispatcher.runAsync {
      try await dispatcher.background.run(label: "seven") { 7 }
    }

    #expect(seven == 7)
    #expect(dispatcher.hasRun("seven"))
    #expect(dispatcher.pendingTasks.labels == ["later"])
    try dispatcher.advanceToNextDeadline()
    try dispatcher.finish()
  }

  @Test("runs the operation on the foreground, with this dispatcher current")
  func onForeground() throws {
    let dispatcher = dispatcher

    let isThere = try dispatcher.runAsync {
      dispatcher.isForeground && Dispatchers.current === dispatcher
    }

    #expect(isThere)
    try dispatcher.finish()
  }

  @Test("throws what the operation throws, which is then reported nowhere else")
  func throwing() throws {
    #expect(throws: Torn()) { try dispatcher.runAsync { throw Torn() } }

    #expect(dispatcher.isIdle)
    try dispatcher.finish()
  }

  @Test("may be called from an asynchronous test", arguments: [1, 3])
  func asynchronous(seconds: Int) async throws {
    let dispatcher = dispatcher
    await Task.detached {}.value

    try dispatcher.runAsync(movingTime: true) {
      try await dispatcher.clock.sleep(for: .seconds(seconds))
    }

    #expect(dispatcher.now.sinceStart == .seconds(seconds))
    try dispatcher.finish()
  }

  @Test("moves time only if it is told to, and only as far as the operation needs")
  func movingTime() throws {
    let dispatcher = dispatcher
    dispatcher.foreground.after(.seconds(5), label: "later") {}
    dispatcher.foreground.after(.seconds(1), label: "soon") {}

    try dispatcher.runAsync(movingTime: true) {
      try await dispatcher.clock.sleep(for: .seconds(2))
    }

    #expect(dispatcher.now.sinceStart == .seconds(2))
    #expect(dispatcher.ran.contains("soon"))
    #expect(dispatcher.pendingTasks.labels == ["later"])
    try dispatcher.advanceToNextDeadline()
    try dispatcher.finish()
  }

  @Test("says that an operation which sleeps has not ended, and leaves its Task as it is")
  func notMovingTime() throws {
    let dispatcher = dispatcher
    let log = Log()

    let error = stepError {
      try dispatcher.runAsync {
        try await dispatcher.clock.sleep(for: .seconds(2))
        log.note("woke")
      }
    }

    guard case .notEnded(_, let pending, let deadline) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(pending.count == 1)
    #expect(deadline?.sinceStart == .seconds(2))
    try dispatcher.advanceTime(by: .seconds(2))
    #expect(log.all == ["woke"])
    try dispatcher.finish()
  }

  @Test("says that an operation which waits for a suspended queue has not ended")
  func suspended() throws {
    let dispatcher = dispatcher
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()

    let error = stepError {
      try dispatcher.runAsync(movingTime: true) { try await disk.run(label: "held") {} }
    }

    guard case .notEnded(_, let pending, nil) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(pending.labels == ["held"])
    disk.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("gives up after its limit of steps, and names what recurs")
  func limit() throws {
    let dispatcher = dispatcher
    let isStopped = Slot<Bool>()
    @Sendable func poll() {
      if isStopped.value != true { dispatcher.background.async(label: "poll") { poll() } }
    }
    poll()

    let error = stepError {
      try dispatcher.runAsync(movingTime: true, limit: 50) {
        try await dispatcher.clock.sleep(for: .seconds(1))
      }
    }

    guard case .stepLimitReached(50, let recurring) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(recurring.first?.label == "poll")
    isStopped.value = true
    try dispatcher.advanceTime(by: .seconds(1))
    try dispatcher.finish()
  }

  @Test("ends within a limit that is just enough")
  func justEnough() throws {
    let dispatcher = dispatcher

    // Three steps: the operation, the body, and the operation again.
    try dispatcher.runAsync(limit: 3) { try await dispatcher.background.run {} }

    try dispatcher.finish()
  }

  @Test("inside a body is a step inside a step")
  func nested() throws {
    let dispatcher = dispatcher
    let error = Slot<StepError>()
    dispatcher.foreground.async(label: "outer") {
      error.value = stepError { try dispatcher.runAsync {} }
    }

    try dispatcher.runUntilIdle()

    guard case .reentrantStep("runAsync(_:)", let running) = error.value else {
      Issue.record("\(error.value as Any)")
      return
    }
    #expect(running?.label == "outer")
    try dispatcher.finish()
  }

  @Test("lets what two operations share stand between them")
  func twice() throws {
    let dispatcher = dispatcher
    let resident = Resident(on: dispatcher.foreground)

    try dispatcher.runAsync { await resident.note("first") }
    let notes = try dispatcher.runAsync {
      await resident.note("second")
      return await resident.notes
    }

    #expect(notes == ["first", "second"])
    try dispatcher.finish()
  }

  @Test("ends with a shutdown, whose report the operation may await")
  func shutdown() throws {
    let dispatcher = dispatcher
    dispatcher.background.async(label: "left") {}

    let report = try dispatcher.runAsync { await dispatcher.shutdown() }

    #expect(report.ledger.balances)
    #expect(report.unfinished.isEmpty)
    #expect(dispatcher.hasRun("left"))
    try dispatcher.finish()
  }
}
