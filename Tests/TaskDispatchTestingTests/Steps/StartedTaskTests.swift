import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A task that has started and not run")
struct StartedTaskTests {
  @Test("cannot be cancelled any more: cancel() says requested, and its body runs and can tell")
  func cancel() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let first = dispatcher.background.submit(label: "first") {
      log.note("cancelled: \(CurrentTask.isCancelled)")
    }
    dispatcher.background.async(label: "second") {}
    try dispatcher.runTask(labeled: "second")

    #expect(first.cancel() == .requested)
    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["cancelled: true"])
    #expect(first.outcomeIfFinished == .completed)
    #expect(first.cancel() == .tooLate)
    #expect(
      dispatcher.events(of: "first")
        == [.enqueued, .started, .cancellationRequested, .finished(.completed)])
    try dispatcher.finish()
  }

  @Test("does not expire")
  func doesNotExpire() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.background.async(label: "first", timeToLive: .zero) { log.note("ran") }
    dispatcher.background.async(label: "second") {}
    try dispatcher.runTask(labeled: "second")

    try dispatcher.skipTime(by: .seconds(1))
    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["ran"])
    try dispatcher.finish()
  }

  @Test("is not held by a suspend of its view")
  func isNotSuspended() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    disk.async(label: "first") {}
    disk.async(label: "second") {}
    try dispatcher.runTask(labeled: "second")

    disk.suspend()

    #expect(try dispatcher.runNextTask(on: disk).label == "first")
    try dispatcher.finish()
  }

  @Test("is not overtaken by a higher band")
  func isNotOvertaken() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(priority: .lowest, label: "first") {}
    dispatcher.background.async(priority: .lowest, label: "second") {}
    try dispatcher.runTask(labeled: "second")

    dispatcher.background.async(priority: .high, label: "urgent") {}

    #expect(try dispatcher.runNextBackgroundTask().label == "first")
    #expect(try dispatcher.runNextBackgroundTask().label == "urgent")
    try dispatcher.finish()
  }

  @Test("counts as running, not as waiting")
  func ledger() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background {}
    dispatcher.background.async(label: "second") {}

    try dispatcher.runTask(labeled: "second")

    #expect(dispatcher.ledger.running == 1)
    #expect(dispatcher.ledger.waiting == 0)
    #expect(dispatcher.ledger.completed == 1)
    #expect(dispatcher.ledger.balances)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is no longer counted by the limit of its queue")
  func limit() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 2)))
    dispatcher.background {}
    dispatcher.background.async(label: "second") {}
    #expect(dispatcher.background {} == .refused(.limitReached))

    try dispatcher.runTask(labeled: "second")

    #expect(dispatcher.background {} == .accepted)
    #expect(dispatcher.background {} == .accepted)
    #expect(dispatcher.background {} == .refused(.limitReached))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("that is left over is reported as such")
  func leftover() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "first") {}
    dispatcher.background.async(label: "second") {}
    try dispatcher.runTask(labeled: "second")

    let error = try #require(finishError(dispatcher))

    #expect(error.leftovers.labels == ["first"])
    #expect(error.leftovers.map(\.isStarted) == [true])
    #expect(dispatcher.ledger.balances)
    #expect(dispatcher.ledger.running == 0)
  }
}
