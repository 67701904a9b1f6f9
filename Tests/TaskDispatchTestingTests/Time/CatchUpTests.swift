import TaskDispatch
import TaskDispatchTesting
import Testing

/// Repeating timers that run on time, and late.
@Suite("A repeating timer")
struct CatchUpTests {
  /// The times at which a timer of one second ran, if its first run took `length`.
  private func runs(
    _ catchUp: CatchUp, firstTaking length: Duration = .zero,
    _ move: (RecordingDispatcher) throws -> Void
  ) throws -> [Duration] {
    let dispatcher = RecordingDispatcher()
    let times = Slot<[Duration]>()
    times.value = []
    let timer = dispatcher.foreground.every(.seconds(1), catchUp: catchUp) {
      times.value?.append(dispatcher.now.sinceStart)
      if times.value?.count == 1 { try? dispatcher.skipTime(by: length) }
    }
    try move(dispatcher)
    timer.cancel()
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
    return times.value ?? []
  }

  @Test(
    "that is in time runs at each tick, whatever it would do if it were late",
    arguments: CatchUp.allCases)
  func inTime(catchUp: CatchUp) throws {
    let times = try runs(catchUp) { try $0.advanceTime(by: .milliseconds(3999)) }

    #expect(times == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test("that is late by less than a tick runs once, at once", arguments: CatchUp.allCases)
  func slightlyLate(catchUp: CatchUp) throws {
    let times = try runs(catchUp) {
      try $0.skipTime(by: .milliseconds(1500))
      try $0.runUntilIdle()
    }

    #expect(times == [.milliseconds(1500)])
  }

  @Test("and a tick that is now when a body ends comes at once")
  func now() throws {
    let dispatcher = RecordingDispatcher()
    let runs = Locked([DispatcherInstant]())
    let timer = dispatcher.foreground.every(.seconds(1), catchUp: .skip) {
      let count = runs.withLock { runs in
        runs.append(dispatcher.now)
        return runs.count
      }
      if count == 1 { try? dispatcher.skipTime(by: .seconds(2)) }
    }
    try dispatcher.skipTime(by: .seconds(1))

    #expect(try dispatcher.runUntilIdle() == 2)

    #expect(
      runs.withLock { $0 } == [.start.advanced(by: .seconds(1)), .start.advanced(by: .seconds(3))])
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("and skips keeps to its ticks and runs none twice, however late it was")
  func skip() throws {
    let onTick = try runs(.skip) {
      try $0.skipTime(by: .seconds(3))
      try $0.advanceTime(by: .seconds(2))
    }
    #expect(onTick == [.seconds(3), .seconds(4), .seconds(5)])

    let slightly = try runs(.skip) {
      try $0.skipTime(by: .milliseconds(1500))
      try $0.advanceTime(by: .seconds(1))
    }
    #expect(slightly == [.milliseconds(1500), .seconds(2)])
  }

  @Test("and catches up once runs once for all that it missed, then goes on with its ticks")
  func once() throws {
    let times = try runs(.once) {
      try $0.skipTime(by: .milliseconds(3500))
      try $0.advanceTime(by: .seconds(2))
    }

    #expect(times == [.milliseconds(3500), .seconds(4), .seconds(5)])
  }

  @Test("and catches up on all runs for each tick that it missed, one after the other")
  func all() throws {
    let times = try runs(.all) {
      try $0.skipTime(by: .milliseconds(3500))
      try $0.advanceTime(by: .seconds(1))
    }

    #expect(
      times == [.milliseconds(3500), .milliseconds(3500), .milliseconds(3500), .seconds(4)])
  }

  @Test("that is spaced runs one interval after its last run ended")
  func spaced() throws {
    let late = try runs(.spaced) {
      try $0.skipTime(by: .milliseconds(3500))
      try $0.advanceTime(by: .seconds(2))
    }
    #expect(late == [.milliseconds(3500), .milliseconds(4500), .milliseconds(5500)])

    let slow = try runs(.spaced, firstTaking: .seconds(2)) {
      try $0.advanceTime(by: .seconds(5))
    }
    #expect(slow == [.seconds(1), .seconds(4), .seconds(5)])
  }

  @Test("that has a slow run catches up on what it missed during that")
  func slowRun() throws {
    let once = try runs(.once, firstTaking: .milliseconds(2500)) {
      try $0.advanceTime(by: .seconds(4))
    }
    #expect(once == [.seconds(1), .milliseconds(3500), .seconds(4)])

    let all = try runs(.all, firstTaking: .milliseconds(2500)) {
      try $0.advanceTime(by: .seconds(3))
    }
    #expect(all == [.seconds(1), .milliseconds(3500), .milliseconds(3500)])
  }

  @Test("that is cancelled between two runs never runs again", arguments: CatchUp.allCases)
  func cancelBetween(catchUp: CatchUp) throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.background.every(.seconds(1), catchUp: catchUp, label: "tick") {}
    try dispatcher.advanceTime(by: .seconds(1))

    #expect(timer.cancel() == .beforeStart)
    try dispatcher.advanceTime(by: .seconds(5))

    #expect(dispatcher.ran == ["tick"])
    #expect(timer.outcomeIfFinished == .cancelled)
    #expect(timer.cancel() == .tooLate)
    try dispatcher.finish()
  }

  @Test("that is cancelled while a run waits takes that run with it", arguments: CatchUp.allCases)
  func cancelQueuedRun(catchUp: CatchUp) throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.background.every(.seconds(1), catchUp: catchUp, label: "tick") {}
    try dispatcher.skipTime(by: .seconds(3))
    #expect(dispatcher.runnableTasks.labels.first == "tick")

    #expect(timer.cancel() == .beforeStart)

    #expect(dispatcher.pendingTasks.isEmpty)
    #expect(dispatcher.ledger.balances)
    try dispatcher.advanceTime(by: .seconds(5))
    #expect(dispatcher.ran.isEmpty)
    try dispatcher.finish()
  }

  @Test(
    "that is cancelled by its own run has only been requested, and runs no more",
    arguments: CatchUp.allCases)
  func cancelInsideRun(catchUp: CatchUp) throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let timer = Slot<TimerHandle>()
    timer.value = dispatcher.foreground.every(.seconds(1), catchUp: catchUp) {
      log.note("\(timer.value!.cancel()) \(CurrentTask.isCancelled)")
    }

    try dispatcher.advanceTime(by: .seconds(5))

    #expect(log.all == ["requested true"])
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.finish()
  }

  @Test("counts each run, and itself, in the ledger")
  func ledger() throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.foreground.every(.seconds(1)) {}
    try dispatcher.advanceTime(by: .seconds(3))
    #expect(dispatcher.ledger.waiting == 1)

    timer.cancel()

    #expect(dispatcher.ledger.accepted == 4)
    #expect(dispatcher.ledger.completed == 3)
    #expect(dispatcher.ledger.cancelled == 1)
    #expect(dispatcher.ledger.waiting == 0)
    try dispatcher.finish()
  }

  @Test("on a queue that is busy does not pile up beyond what its catch-up owes")
  func suspendedQueue() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let timer = disk.every(.seconds(1), catchUp: .spaced, label: "tick") {}
    disk.suspend()

    try dispatcher.advanceTime(by: .seconds(5))

    #expect(dispatcher.pendingTasks.filter { $0.obstacle == .suspended(queue: "disk") }.count == 1)
    disk.resume()
    try dispatcher.runUntilIdle()
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(6))
    timer.cancel()
    try dispatcher.finish()
  }
}
