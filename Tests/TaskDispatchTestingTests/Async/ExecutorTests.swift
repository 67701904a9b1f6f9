import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A Task that prefers a queue of the fake")
struct ExecutorTests {
  private let dispatcher = RecordingDispatcher()
  private let log = Log()

  @Test("does nothing until it is stepped, and then runs on its queue", arguments: Lane.allCases)
  func steps(lane: Lane) throws {
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    Task(executorPreference: queue.executor) { [log, dispatcher] in
      log.note("ran")
      #expect(queue.isCurrent)
      #expect(dispatcher.isForeground == (lane == .foreground))
      #expect(Dispatchers.current === dispatcher)
      #expect(RecordingDispatcher.current === dispatcher)
    }
    #expect(log.all.isEmpty)
    #expect(dispatcher.pendingTasks.map(\.task.lane) == [lane])

    if lane == .foreground {
      try dispatcher.runNextForegroundTask()
    } else {
      try dispatcher.runNextBackgroundTask()
    }

    #expect(log.all == ["ran"])
    try dispatcher.finish()
  }

  @Test("runs on the thread that steps, in asynchronous tests too")
  func thread() async throws {
    let thread = Slot<ObjectIdentifier>()
    Task(executorPreference: dispatcher.background.executor) { thread.value = thisThread() }

    let stepper = try steppingThread()

    #expect(thread.value == stepper)
    try dispatcher.finish()
  }

  /// Not asynchronous, so it cannot suspend and stays on one thread.
  private func steppingThread() throws -> ObjectIdentifier {
    try dispatcher.runUntilIdle()
    return thisThread()
  }

  @Test("takes a step for each of its resumptions")
  func resumptions() throws {
    Task(executorPreference: dispatcher.background.executor) { [log, dispatcher] in
      log.note("begins")
      let seven = try await dispatcher.foreground.run(label: "seven") { 7 }
      log.note("has \(seven)")
    }

    try dispatcher.runNextBackgroundTask()
    #expect(log.all == ["begins"])
    #expect(stepError { try dispatcher.runNextBackgroundTask() } != nil)
    try dispatcher.runTask(labeled: "seven")
    #expect(log.all == ["begins"])
    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["begins", "has 7"])
    #expect(dispatcher.isIdle)
    try dispatcher.finish()
  }

  @Test("stands in the band of its priority")
  func band() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let queue = dispatcher.background
    Task(executorPreference: queue.executor, priority: .background) { [log] in log.note("last") }
    queue.async(priority: .medium) { [log] in log.note("second") }
    Task(executorPreference: queue.executor, priority: .high) { [log] in log.note("first") }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["first", "second", "last"])
    try dispatcher.finish()
  }

  @Test("counts against the width of its view, and waits for its barriers")
  func width() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let isStarted = Slot<TaskID>()
    disk.async(label: "first") {}
    disk.barrier.async(label: "barrier") {}
    Task(executorPreference: disk.executor) { [log] in log.note("job") }

    #expect(dispatcher.runnableTasks.labels == ["first"])
    isStarted.value = try dispatcher.runNextBackgroundTask().id
    #expect(dispatcher.runnableTasks.labels == ["barrier"])
    #expect(log.all.isEmpty)
    try dispatcher.runNextBackgroundTask()
    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["job"])
    try dispatcher.finish()
  }

  @Test("that a body starts has this body as its parent")
  func parent() throws {
    let starter = dispatcher.foreground
    starter.async(label: "starter") { [dispatcher, log] in
      Task(executorPreference: dispatcher.background.executor) { log.note("job") }
    }
    let parent = try dispatcher.runNextForegroundTask()

    let job = try dispatcher.runNextBackgroundTask()

    #expect(job.parent == parent.id)
    #expect(dispatcher.ancestors(of: job.id).map(\.label) == ["starter"])
    #expect(log.all == ["job"])
    try dispatcher.finish()
  }

  @Test("keeps the queue for as long as it has work, although nothing else refers to it")
  func keepsQueue() throws {
    do {
      let disk = dispatcher.makeQueue(label: "disk", width: 1)
      Task(executorPreference: disk.executor) { [log, dispatcher] in
        try await dispatcher.clock.sleep(for: .seconds(1))
        log.note("woke")
      }
    }
    try dispatcher.runUntilIdle()

    try dispatcher.advanceTime(by: .seconds(1))

    #expect(log.all == ["woke"])
    #expect(dispatcher.history.last?.task.queue == "disk")
    try dispatcher.finish()
  }

  @Test("finds the same executor each time it asks")
  func sameExecutor() {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)

    for queue in [dispatcher.foreground, dispatcher.background, disk] {
      #expect(queue.executor === queue.executor)
    }

    #expect(disk.executor !== dispatcher.background.executor)
    #expect(dispatcher.foreground.executor !== dispatcher.background.executor)
  }

  @Test("of a barrier traps: a barrier has no executor")
  func barrier() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher().makeQueue(label: "disk", width: 1).barrier.executor
    }
    #expect(result?.said("a barrier has no executor; take that of disk") == true)
  }

  @Test("counts in the ledger, each job once")
  func ledger() throws {
    Task(executorPreference: dispatcher.background.executor) { [dispatcher] in
      try await dispatcher.background.run {}
    }

    try dispatcher.runUntilIdle()

    let ledger = dispatcher.ledger
    #expect(ledger.completed == 3)
    #expect(ledger.accepted == 3)
    #expect(ledger.balances)
    try dispatcher.finish()
  }
}
