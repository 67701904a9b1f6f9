import TaskDispatch
import TaskDispatchTesting
import Testing

final class Log: @unchecked Sendable {
  private let lines = Locked<[String]>([])
  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite("Smoke")
struct SmokeTests {
  @Test func steps() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.background(label: "work") {
      log.note("bg")
      dispatcher.foreground { log.note("fg") }
    }
    #expect(throws: StepError.self) { try dispatcher.runNextForegroundTask() }
    try dispatcher.runNextBackgroundTask()
    #expect(log.all == ["bg"])
    try dispatcher.runNextForegroundTask()
    #expect(log.all == ["bg", "fg"])
    print(dispatcher.timeline())
    print(dispatcher.ledger)
    try dispatcher.finish()
  }

  @Test func timers() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground.after(.seconds(1)) { log.note("a \(dispatcher.now)") }
    dispatcher.background.after(.milliseconds(500)) { log.note("b \(dispatcher.now)") }
    let every = dispatcher.foreground.every(.seconds(1), catchUp: .all) {
      log.note("e \(dispatcher.now)")
    }
    try dispatcher.advanceTime(by: .seconds(3))
    print(log.all)
    #expect(every.cancel() == .beforeStart)
    try dispatcher.finish()
  }

  @Test func syncs() throws {
    let dispatcher = RecordingDispatcher()
    let queue = dispatcher.makeQueue(label: "store", width: 3)
    let log = Log()
    queue { log.note("1") }
    queue.barrier { log.note("2") }
    let value = try queue.sync { log.note("sync"); return 7 }
    #expect(value == 7)
    #expect(log.all == ["1", "2", "sync"])
    dispatcher.foreground {
      do { try dispatcher.foreground.sync {} } catch { log.note("\(error)") }
    }
    try dispatcher.runUntilIdle()
    print(log.all.last!)
    try dispatcher.finish()
  }

  @Test func async() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let task = Task(executorPreference: dispatcher.background.executor) {
      log.note("start")
      try await dispatcher.clock.sleep(for: .seconds(2))
      log.note("slept \(dispatcher.now)")
      let value = try await dispatcher.foreground.run { 5 }
      log.note("value \(value)")
      return value
    }
    try dispatcher.runUntilIdle()
    #expect(log.all == ["start"])
    try dispatcher.advanceTime(by: .seconds(2))
    #expect(log.all.last == "value 5")
    print(dispatcher.timeline())
    print(log.all)
    try dispatcher.finish()
    _ = task
  }

  @Test func shutdown() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background { dispatcher.foreground {} }
    dispatcher.foreground.after(.seconds(5)) {}
    dispatcher.beginShutdown()
    #expect(dispatcher.report == nil)
    #expect(dispatcher.foreground {} == .refused(.shutDown))
    try dispatcher.runUntilIdle()
    print(dispatcher.report!)
    #expect(dispatcher.report!.ledger.balances)
    try dispatcher.finish()
  }
}
