import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A time to live")
struct TimeToLiveTests {
  @Test("lets a task start until it has passed", arguments: Lane.allCases)
  func startsInTime(lane: Lane) throws {
    let dispatcher = RecordingDispatcher()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    queue.async(label: "task", timeToLive: .seconds(2)) {}

    try dispatcher.skipTime(by: .seconds(2))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.hasRun("task"))
    try dispatcher.finish()
  }

  @Test("that has passed lets the task expire: its body never runs", arguments: Lane.allCases)
  func expires(lane: Lane) throws {
    let dispatcher = RecordingDispatcher()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    let handle = queue.submit(label: "task", timeToLive: .seconds(2)) {}

    try dispatcher.skipTime(by: .seconds(2) + .nanoseconds(1))
    try dispatcher.runUntilIdle()

    #expect(handle.outcomeIfFinished == .expired)
    #expect(dispatcher.events(of: "task") == [.enqueued, .finished(.expired)])
    #expect(dispatcher.ledger.expired == 1)
    #expect(dispatcher.ledger.balances)
    #expect(handle.cancel() == .tooLate)
    try dispatcher.finish()
  }

  @Test("of nothing, or less, lets it start before time moves on", arguments: [0, -5])
  func nothing(seconds: Int) throws {
    let dispatcher = RecordingDispatcher()
    let starts = dispatcher.background.submit(timeToLive: .seconds(seconds)) {}
    try dispatcher.runUntilIdle()
    let stale = dispatcher.background.submit(timeToLive: .seconds(seconds)) {}

    try dispatcher.skipTime(by: .nanoseconds(1))
    try dispatcher.runUntilIdle()

    #expect(starts.outcomeIfFinished == .completed)
    #expect(stale.outcomeIfFinished == .expired)
    try dispatcher.finish()
  }

  @Test("of a timer is counted from its time, not from its submission")
  func ofTimer() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.after(.seconds(5), label: "in time", timeToLive: .seconds(1)) {}
    let late = dispatcher.foreground.after(.seconds(5), timeToLive: .milliseconds(500)) {}

    try dispatcher.skipTime(by: .seconds(6))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["in time"])
    #expect(late.outcomeIfFinished == .expired)
    try dispatcher.finish()
  }

  @Test("that has passed leaves the group and releases the body")
  func groupAndBody() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    weak var leftover: Token?
    do {
      let token = Token()
      leftover = token
      dispatcher.background.async(group: group, timeToLive: .zero) { token.touch() }
    }
    #expect(group.count == 1)

    try dispatcher.skipTime(by: .seconds(1))
    try dispatcher.runUntilIdle()

    #expect(group.count == 0)
    #expect(leftover == nil)
    try dispatcher.finish()
  }

  @Test("that has passed is no step: those behind it run at once")
  func isNoStep() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(timeToLive: .zero) {}
    dispatcher.background.async(label: "behind") {}
    try dispatcher.skipTime(by: .seconds(1))

    #expect(try dispatcher.runNextBackgroundTask().label == "behind")
    try dispatcher.finish()
  }

  @Test("that has passed opens the way for a barrier and what stands behind it")
  func barrier() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 2)
    store.async(timeToLive: .zero) {}
    store.barrier.async(label: "barrier", timeToLive: .zero) {}
    store.async(label: "behind") {}

    try dispatcher.skipTime(by: .seconds(1))
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["behind"])
    #expect(dispatcher.ledger.expired == 2)
    try dispatcher.finish()
  }

  @Test("that has passed reaches the Task that awaits the result as an error")
  func awaited() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    Task(executorPreference: dispatcher.foreground.executor) {
      do { try await disk.run(label: "read", timeToLive: .seconds(1)) {} } catch let error
        as NoValue
      {
        log.note("\(error.outcome) \(error.label ?? "")")
      }
    }
    try dispatcher.runUntilIdle()

    try dispatcher.skipTime(by: .seconds(2))
    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["\(Outcome.expired) read"])
    try dispatcher.finish()
  }

  @Test("of a task that waits for room is counted from its submission as well")
  func waitingForRoom() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    Task(executorPreference: dispatcher.foreground.executor) {
      do { try await disk.run(timeToLive: .seconds(1)) { log.note("ran") } } catch {
        log.note((error as? NoValue)?.outcome.description ?? "\(error)")
      }
    }
    try dispatcher.runForegroundUntilIdle()

    try dispatcher.skipTime(by: .seconds(2))
    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(log.all == [Outcome.expired.description])
    try dispatcher.finish()
  }

  @Test("of other tasks is still kept after one has waited for room")
  func afterWaitingForRoom() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    dispatcher.background {}
    Task(executorPreference: dispatcher.foreground.executor) {
      try await dispatcher.background.run(timeToLive: .seconds(1)) {}
    }
    try dispatcher.runForegroundUntilIdle()
    try dispatcher.runUntilIdle()
    let handle = dispatcher.background.submit(timeToLive: .seconds(1)) {}

    try dispatcher.skipTime(by: .seconds(2))
    try dispatcher.runUntilIdle()

    #expect(handle.outcomeIfFinished == .expired)
    try dispatcher.finish()
  }
}
