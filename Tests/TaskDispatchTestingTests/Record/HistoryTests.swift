import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The history")
struct HistoryTests {
  @Test("tells of a task when it is enqueued, started and finished, and when that was")
  func plainTask() throws {
    let dispatcher = RecordingDispatcher()
    try dispatcher.advanceTime(by: .seconds(1))
    dispatcher.background { try? dispatcher.skipTime(by: .seconds(2)) }
    try dispatcher.skipTime(by: .seconds(1))

    try dispatcher.runUntilIdle()

    #expect(dispatcher.history.map(\.kind) == [.enqueued, .started, .finished(.completed)])
    #expect(dispatcher.history.map(\.time.sinceStart) == [.seconds(1), .seconds(2), .seconds(4)])
    try dispatcher.finish()
  }

  @Test("numbers submissions from one, in their order")
  func ids() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}
    dispatcher.background.async(label: "labelled") {}
    dispatcher.foreground.after(.seconds(1)) {}

    #expect(dispatcher.history.map(\.task.id) == [TaskID(1), TaskID(2), TaskID(3)])
    try dispatcher.advanceTime(by: .seconds(1))
    try dispatcher.finish()
  }

  @Test("says where each task was submitted, on what queue and in which band")
  func callSites() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)

    let line = UInt32(#line + 1)
    disk.async(priority: .lowest, label: "labelled") {}
    dispatcher.foreground.after(.zero) {}
    disk.barrier {}

    #expect(dispatcher.history.map(\.task.site.line) == [line, line + 1, line + 2])
    #expect(
      dispatcher.history.allSatisfy {
        $0.task.site.fileID == "TaskDispatchTestingTests/HistoryTests.swift"
      })
    #expect(dispatcher.history.map(\.task.queue) == ["disk", "foreground", "disk"])
    #expect(dispatcher.history.map(\.task.lane) == [.background, .foreground, .background])
    #expect(dispatcher.history.first?.task.band == .lowest)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is equal for two runs of one scenario, and differs for two orders")
  func isEquatable() throws {
    func scenario(_ first: String) throws -> [TaskEvent] {
      let dispatcher = RecordingDispatcher()
      dispatcher.background.async(label: "a") { dispatcher.foreground.async(label: "reply") {} }
      dispatcher.background.async(label: "b") {}
      try dispatcher.runTask(labeled: first)
      try dispatcher.advanceTime(by: .seconds(1))
      try dispatcher.finish()
      return dispatcher.history
    }

    #expect(try scenario("a") == scenario("a"))
    #expect(try scenario("a") != scenario("b"))
  }

  @Test("tells of a timer when it comes due")
  func timer() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.after(.seconds(1), label: "timer") {}

    try dispatcher.skipTime(by: .seconds(2))
    try dispatcher.runUntilIdle()

    #expect(
      dispatcher.events(of: "timer") == [.enqueued, .due, .started, .finished(.completed)])
    #expect(
      dispatcher.history.map(\.time.sinceStart)
        == [.zero, .seconds(2), .seconds(2), .seconds(2)])
    try dispatcher.finish()
  }

  @Test("tells of a refusal, which is the only event of its submission")
  func refusal() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    dispatcher.background {}

    dispatcher.background.async(label: "too much") {}
    dispatcher.background {}

    #expect(dispatcher.events(of: "too much") == [.refused(.limitReached)])
    #expect(dispatcher.history.last?.kind == .refused(.limitReached))
    #expect(dispatcher.history.last?.task.id == TaskID(3))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("ends every accepted task exactly once, however it ends")
  func endings() throws {
    struct Torn: Error {}
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .ignore))
    dispatcher.background.async(label: "completes") {}
    dispatcher.background.submit(label: "fails") { throw Torn() }
    let cancelled = dispatcher.background.submit(label: "is cancelled") {}
    cancelled.cancel()
    dispatcher.background.async(label: "expires", timeToLive: .zero) {}
    try dispatcher.skipTime(by: .nanoseconds(1))

    try dispatcher.runUntilIdle()

    let endings = Dictionary(
      grouping: dispatcher.history.compactMap { event -> (String, Outcome)? in
        if case .finished(let outcome) = event.kind {
          (event.task.label ?? "", outcome)
        } else {
          nil
        }
      }, by: \.0
    ).mapValues { $0.map(\.1) }
    #expect(
      endings == [
        "completes": [.completed], "fails": [.failed(Torn())], "is cancelled": [.cancelled],
        "expires": [.expired],
      ])
    try dispatcher.finish()
  }

  @Test("has one record for a task, the same in each of its events")
  func recordsAreStable() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let handle = Slot<TaskHandle<Void>>()
    dispatcher.foreground.async(label: "parent") {
      handle.value = dispatcher.background.submit(label: "cancelled") {}
      dispatcher.background.after(.seconds(1), label: "pool timer") {}
      dispatcher.foreground.after(.seconds(1), label: "loop timer") {}
      dispatcher.foreground.after(.seconds(9), label: "cancelled timer") {}
      dispatcher.foreground.async(label: "expires", timeToLive: .zero) {}
      dispatcher.foreground.every(.seconds(1), label: "tick") {}
    }
    try dispatcher.runNextForegroundTask()
    handle.value?.cancel()
    try dispatcher.skipTime(by: .seconds(2))
    try dispatcher.runUntilIdle()
    dispatcher.beginShutdown()

    let records = Dictionary(grouping: dispatcher.history.map(\.task), by: \.id)
    for (id, known) in records { #expect(Set(known).count == 1, "\(id): \(known)") }
    try dispatcher.finish()
  }

  @Test("is empty if the configuration keeps none; the ledger counts all the same")
  func notKept() throws {
    let dispatcher = RecordingDispatcher(.init(recordsHistory: false))
    for _ in 0..<3 { dispatcher.background {} }

    #expect(try dispatcher.runNextBackgroundTask().id == TaskID(1))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.history.isEmpty)
    #expect(dispatcher.timeline().split(separator: "\n").count == 1)
    #expect(dispatcher.ledger.completed == 3)
    try dispatcher.finish()
  }
}
