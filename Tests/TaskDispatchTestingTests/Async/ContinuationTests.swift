import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A continuation of a Task on the fake")
struct ContinuationTests {
  private let dispatcher = RecordingDispatcher()
  private let waiting = Slot<CheckedContinuation<Int, Never>>()

  @Test("that a body resumes lets the Task go on in a step of its own")
  func resumedByBody() throws {
    let log = Log()
    let waiting = waiting
    Task(executorPreference: dispatcher.foreground.executor) {
      log.note("has \(await withCheckedContinuation { waiting.value = $0 })")
    }
    dispatcher.background { waiting.value!.resume(returning: 3) }
    try dispatcher.runNextForegroundTask()

    try dispatcher.runNextBackgroundTask()
    #expect(log.all.isEmpty)
    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["has 3"])
    try dispatcher.finish()
  }

  @Test("that the test resumes between two steps is no escape")
  func resumedByTest() throws {
    let log = Log()
    let waiting = waiting
    Task(executorPreference: dispatcher.background.executor) {
      log.note("has \(await withCheckedContinuation { waiting.value = $0 })")
    }
    try dispatcher.runUntilIdle()

    waiting.value!.resume(returning: 4)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["has 4"])
    #expect(!dispatcher.history.contains { $0.kind == .escaped })
    try dispatcher.finish()
  }

  @Test("that is resumed before it is awaited costs no step")
  func resumedAtOnce() throws {
    let log = Log()
    Task(executorPreference: dispatcher.foreground.executor) {
      let value = await withCheckedContinuation { $0.resume(returning: 5) }
      log.note("has \(value)")
    }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["has 5"])
    #expect(dispatcher.isIdle)
    try dispatcher.finish()
  }

  @Test("that a timer resumes lets the Task go on at the timer's time")
  func resumedByTimer() throws {
    let time = Slot<DispatcherInstant>()
    let waiting = waiting
    let dispatcher = dispatcher
    Task(executorPreference: dispatcher.background.executor) {
      _ = await withCheckedContinuation { continuation in
        dispatcher.foreground.after(.seconds(2)) { continuation.resume(returning: ()) }
      }
      time.value = dispatcher.now
    }

    try dispatcher.advanceTime(by: .seconds(5))

    #expect(time.value?.sinceStart == .seconds(2))
    #expect(waiting.value == nil)
    try dispatcher.finish()
  }

  @Test("may belong to a stream that bodies feed, and gives every element in order")
  func stream() throws {
    let (stream, feed) = AsyncStream.makeStream(of: Int.self)
    let dispatcher = dispatcher
    for number in 1...3 { dispatcher.background.async(label: "\(number)") { feed.yield(number) } }
    dispatcher.background { feed.finish() }

    let all = try dispatcher.runAsync {
      await stream.reduce(into: []) { $0.append($1) }
    }

    #expect(all == [1, 2, 3])
    try dispatcher.finish()
  }
}
