import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A Task that waits for room")
struct RoomTests {
  @Test("leaves nothing behind when it is cancelled: its place in the line goes to the next")
  func cancelled() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    let log = Log()
    dispatcher.background.async(label: "fills") {}
    let tasks = ["first", "second"].map { label in
      Task(executorPreference: dispatcher.foreground.executor) {
        do { try await dispatcher.background.run(label: label) { log.note("ran \(label)") } } catch
        {
          log.note("\(label): \(type(of: error))")
        }
      }
    }
    try dispatcher.runForegroundUntilIdle()
    #expect(dispatcher.pendingTasks.labels == ["fills", "first", "second"])

    tasks[0].cancel()

    #expect(dispatcher.events(of: "first") == [.enqueued, .finished(.cancelled)])
    #expect(dispatcher.pendingTasks.labels.contains("first") == false)
    try dispatcher.runTask(labeled: "fills")
    #expect(dispatcher.runnableTasks.labels.contains("second"))
    try dispatcher.runUntilIdle()
    #expect(Set(log.all) == ["first: CancellationError", "ran second"])
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }
}
