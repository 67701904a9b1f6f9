import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("Cancelling a Task that runs something on the fake")
struct CancellationTests {
  private let dispatcher = RecordingDispatcher()
  private let log = Log()

  /// A Task on the foreground that awaits a run on `queue`, and notes how that ended.
  private func runner(on queue: TaskQueue, _ body: @escaping @Sendable () -> Void) -> Task<
    Void, Never
  > {
    Task(executorPreference: dispatcher.foreground.executor) { [log] in
      do {
        try await queue.run(label: "body") { body() }
        log.note("completed")
      } catch {
        log.note("\(type(of: error))")
      }
    }
  }

  @Test("cancels a body that has not started, and releases it at once")
  func beforeStart() throws {
    weak var released: Token?
    let task: Task<Void, Never>
    do {
      let token = Token()
      released = token
      task = runner(on: dispatcher.background) { [log] in
        token.touch()
        log.note("ran")
      }
    }
    try dispatcher.runForegroundUntilIdle()
    #expect(dispatcher.pendingTasks.labels == ["body"])

    task.cancel()

    #expect(dispatcher.events(of: "body").last == .finished(.cancelled))
    try dispatcher.runUntilIdle()
    #expect(released == nil)
    #expect(log.all == ["CancellationError"])
    try dispatcher.finish()
  }

  @Test("asks a body that runs to stop, and its value counts all the same")
  func whileRunning() throws {
    let log = log
    let task = Slot<Task<Void, Never>>()
    task.value = runner(on: dispatcher.background) {
      log.note("\(CurrentTask.isCancelled)")
      task.value!.cancel()
      log.note("\(CurrentTask.isCancelled)")
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["false", "true", "completed"])
    #expect(
      dispatcher.events(of: "body") == [
        .enqueued, .started, .cancellationRequested, .finished(.completed),
      ])
    try dispatcher.finish()
  }

  @Test("lets a body run that has its slot, with the flag set")
  func whileStarted() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    let log = log
    let task = Task(executorPreference: dispatcher.foreground.executor) {
      try await dispatcher.background.run(label: "body") { log.note("\(CurrentTask.isCancelled)") }
    }
    try dispatcher.runForegroundUntilIdle()
    dispatcher.background.async(label: "second") {}
    try dispatcher.runTask(labeled: "second")
    #expect(dispatcher.pendingTasks.map(\.isStarted) == [true])

    task.cancel()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["true"])
    try dispatcher.finish()
  }

  @Test("before it has begun submits nothing")
  func beforeBegin() throws {
    let task = runner(on: dispatcher.background) { [log] in log.note("ran") }
    task.cancel()

    try dispatcher.runUntilIdle()

    #expect(log.all == ["CancellationError"])
    #expect(!dispatcher.history.contains { $0.task.label == "body" })
    try dispatcher.finish()
  }

  @Test("by its own body cancels what it submits next before it starts")
  func byItself() throws {
    let dispatcher = dispatcher
    let log = log
    try dispatcher.runAsync {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do { try await dispatcher.background.run { log.note("ran") } } catch {
        log.note("\(type(of: error))")
      }
    }

    #expect(log.all == ["CancellationError"])
    try dispatcher.finish()
  }

  @Test("reaches what its children await")
  func children() throws {
    let dispatcher = dispatcher
    let log = log
    let task = Task(executorPreference: dispatcher.foreground.executor) {
      await withTaskGroup(of: Void.self) { group in
        for number in 1...3 {
          group.addTask {
            do { try await dispatcher.background.run { log.note("ran \(number)") } } catch {
              log.note("cancelled \(number)")
            }
          }
        }
      }
      log.note("done")
    }
    try dispatcher.runForegroundUntilIdle()
    try dispatcher.runNextBackgroundTask()

    task.cancel()
    try dispatcher.runUntilIdle()

    #expect(log.all.first == "ran 1")
    #expect(Set(log.all.dropFirst().dropLast()) == ["cancelled 2", "cancelled 3"])
    #expect(log.all.last == "done")
    try dispatcher.finish()
  }

  @Test("does not cancel a task whose handle it awaits")
  func handle() throws {
    let dispatcher = dispatcher
    let log = log
    let handle = dispatcher.background.submit(label: "work") { 9 }
    let task = Task(executorPreference: dispatcher.foreground.executor) {
      log.note("\(try await handle.value)")
    }
    try dispatcher.runForegroundUntilIdle()

    task.cancel()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["9"])
    try dispatcher.finish()
  }
}
