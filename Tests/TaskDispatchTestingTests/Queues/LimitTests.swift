import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A limit that rejects")
struct LimitTests {
  private let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 2)))

  @Test("refuses what would make it more, and lets in again once there is room")
  func refuses() throws {
    #expect(dispatcher.background {} == .accepted)
    #expect(dispatcher.background.async(label: "second") {} == .accepted)
    #expect(dispatcher.background {} == .refused(.limitReached))
    let handle = dispatcher.background.submit {}
    #expect(handle.outcomeIfFinished == .refused(.limitReached))
    #expect(dispatcher.ledger.refused == 2)

    try dispatcher.runNextBackgroundTask()

    #expect(dispatcher.background {} == .accepted)
    #expect(dispatcher.background {} == .refused(.limitReached))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("counts each queue by itself")
  func eachQueue() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    for queue in [dispatcher.foreground, dispatcher.background, disk] {
      #expect(queue {} == .accepted)
      #expect(queue.barrier {} == .accepted)
      #expect(queue {} == .refused(.limitReached))
    }

    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("makes room when a task is cancelled or expires")
  func cancelAndExpiry() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit {}
    disk.async(timeToLive: .zero) {}

    handle.cancel()
    #expect(disk {} == .accepted)
    try dispatcher.skipTime(by: .nanoseconds(1))
    #expect(disk {} == .accepted)
    #expect(disk {} == .refused(.limitReached))

    disk.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("does not count timers, replies, jobs, notifications and events")
  func exempt() throws {
    let log = Log()
    for _ in 0..<2 { dispatcher.foreground {} }
    for _ in 0..<3 {
      #expect(dispatcher.foreground.after(.seconds(1)) {}.outcomeIfFinished == nil)
      #expect(WorkGroup().notify(on: dispatcher.foreground) {} == .accepted)
      Task(executorPreference: dispatcher.foreground.executor) { log.note("job") }
    }
    try dispatcher.onSignal(.hangup) { _ in log.note("signal") }
    try dispatcher.raise(.hangup)
    dispatcher.background.async {
      1
    } then: { (_: Result<Int, any Error>) in
      log.note("reply")
    }
    try dispatcher.skipTime(by: .seconds(1))
    #expect(dispatcher.foreground {} == .refused(.limitReached))

    try dispatcher.runUntilIdle()

    #expect(log.all.sorted() == ["job", "job", "job", "reply", "signal"])
    try dispatcher.finish()
  }

  @Test("does not count a sync body")
  func sync() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    for _ in 0..<2 { disk {} }

    #expect(try disk.sync { 5 } == 5)
    try dispatcher.finish()
  }

  @Test("lets an async run wait for room, in order")
  func runWaits() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    for number in 1...5 {
      Task(executorPreference: dispatcher.foreground.executor) {
        try await disk.run { log.note("\(number)") }
      }
    }
    try dispatcher.runForegroundUntilIdle()
    #expect(dispatcher.ledger.refused == 0)
    #expect(dispatcher.pendingTasks.count == 5)
    #expect(dispatcher.runnableTasks.count == 1)

    try dispatcher.runUntilIdle()

    #expect(log.all == ["1", "2", "3", "4", "5"])
    try dispatcher.finish()
  }

  @Test("lets a run that waits for room be cancelled")
  func cancelRun() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    for _ in 0..<2 { disk {} }
    let task = Task(executorPreference: dispatcher.foreground.executor) {
      do { try await disk.run { log.note("ran") } } catch { log.note("\(type(of: error))") }
    }
    try dispatcher.runForegroundUntilIdle()

    task.cancel()
    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["CancellationError"])
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }
}

@Suite("A limit that blocks its caller")
struct BlockingLimitTests {
  private let dispatcher = RecordingDispatcher(
    .init(width: 2, overflow: .blockCaller(limit: 1, timeout: nil)))

  @Test("runs what makes room while the caller is blocked")
  func makesRoom() throws {
    for label in ["1", "2", "3"] {
      #expect(dispatcher.background.async(label: label) {} == .accepted)
    }

    #expect(dispatcher.ran == ["1", "2"])
    try dispatcher.runUntilIdle()
    #expect(dispatcher.ran == ["1", "2", "3"])
    #expect(dispatcher.history.map(\.task.id.number).max() == 3)
    try dispatcher.finish()
  }

  @Test("makes room on the foreground for a background task that waits for it")
  func acrossLanes() throws {
    dispatcher.foreground.async(label: "f1") {}
    dispatcher.background.async(label: "b") {
      #expect(dispatcher.foreground.async(label: "f2") {} == .accepted)
    }

    try dispatcher.runNextBackgroundTask()

    #expect(dispatcher.ran == ["b", "f1"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("refuses a caller that stands in the way itself, as a deadlock")
  func deadlock() throws {
    let log = Log()
    dispatcher.foreground {
      dispatcher.foreground.async(label: "fills it") {}
      log.note("\(dispatcher.foreground.async(label: "too much") {})")
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["\(Admission.refused(.wouldDeadlock))"])
    #expect(dispatcher.events(of: "too much") == [.refused(.wouldDeadlock)])
    #expect(dispatcher.hasRun("fills it"))
    try dispatcher.finish()
  }

  @Test("refuses a caller on the last worker, as a deadlock")
  func lastWorker() throws {
    let dispatcher = RecordingDispatcher(
      .init(width: 1, overflow: .blockCaller(limit: 1, timeout: nil)))
    let answer = Slot<Admission>()
    dispatcher.background {
      dispatcher.background {}
      answer.value = dispatcher.background {}
    }

    try dispatcher.runUntilIdle()

    #expect(answer.value == .refused(.wouldDeadlock))
    try dispatcher.finish()
  }

  @Test("refuses with the time-out if there is one and room never comes")
  func timeout() throws {
    let dispatcher = RecordingDispatcher(
      .init(overflow: .blockCaller(limit: 1, timeout: .seconds(3))))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}

    #expect(disk.async(label: "late") {} == .refused(.noRoomInTime))

    #expect(dispatcher.events(of: "late") == [.refused(.noRoomInTime)])
    #expect(dispatcher.ledger.refused == 1)
    #expect(dispatcher.ledger.balances)
    disk.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("lets an async run suspend, and blocks no thread")
  func runSuspends() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk { log.note("1") }
    Task(executorPreference: dispatcher.foreground.executor) {
      try await disk.run { log.note("2") }
      log.note("3")
    }

    try dispatcher.runForegroundUntilIdle()
    #expect(log.all.isEmpty)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["1", "2", "3"])
    try dispatcher.finish()
  }
}
