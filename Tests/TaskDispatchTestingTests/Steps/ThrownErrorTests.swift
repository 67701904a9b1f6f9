import TaskDispatch
import TaskDispatchTesting
import Testing

private struct Torn: Error, Equatable { var page = 1 }

@Suite("An error that a body throws")
struct ThrownErrorTests {
  @Test("is recorded, loses no other task, and comes back at finish()")
  func atFinish() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.submit(label: "tears") { throw Torn() }
    dispatcher.background.async(label: "goes on") {}

    #expect(try dispatcher.runUntilIdle() == 2)
    #expect(
      dispatcher.events(of: "tears") == [.enqueued, .started, .finished(.failed(Torn()))])
    #expect(dispatcher.hasRun("goes on"))
    #expect(dispatcher.ledger.failed == 1)

    let error = try #require(finishError(dispatcher))
    #expect(error.thrown.map(\.task.label) == ["tears"])
    #expect(error.thrown.first?.error as? Torn == Torn())
    #expect(error.leftovers.isEmpty)
  }

  @Test("comes back at once from the step that ran it, if that is the policy")
  func atOnce() throws {
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .atOnce))
    dispatcher.background.submit(label: "tears") { throw Torn() }
    dispatcher.background.async(label: "goes on") {}

    guard
      case .taskThrew(let task, let error) = stepError({ try dispatcher.runNextBackgroundTask() })
    else { return }

    #expect(task.label == "tears")
    #expect(error as? Torn == Torn())
    #expect(dispatcher.pendingTasks.labels == ["goes on"])
    #expect(dispatcher.ledger.failed == 1)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("stops a call of many steps at that step, if it comes back at once")
  func atOnceInMany() throws {
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .atOnce))
    dispatcher.foreground.async(label: "before") {}
    dispatcher.foreground.submit(label: "tears") { throw Torn() }
    dispatcher.foreground.async(label: "after") {}

    guard case .taskThrew = stepError({ try dispatcher.runUntilIdle() }) else { return }

    #expect(dispatcher.ran == ["before", "tears"])
    #expect(try dispatcher.runUntilIdle() == 1)
    try dispatcher.finish()
  }

  @Test("is not reported, if that is the policy, and stays in the history")
  func ignored() throws {
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .ignore))
    dispatcher.background.submit(label: "tears") { throw Torn() }

    try dispatcher.runUntilIdle()

    #expect(dispatcher.events(of: "tears").last == .finished(.failed(Torn())))
    try dispatcher.finish()
  }

  @Test("is not reported again to a test that has looked at the outcome")
  func seenByOutcome() throws {
    let dispatcher = RecordingDispatcher()
    let handle = dispatcher.background.submit { throw Torn(page: 7) }
    #expect(handle.outcomeIfFinished == nil)

    try dispatcher.runUntilIdle()

    #expect(handle.outcomeIfFinished == .failed(Torn(page: 7)))
    try dispatcher.finish()
  }

  @Test("is reported if the outcome was looked at only before it was known")
  func lookedTooEarly() throws {
    let dispatcher = RecordingDispatcher()
    let handle = dispatcher.background.submit { throw Torn() }
    #expect(handle.outcomeIfFinished == nil)

    try dispatcher.runUntilIdle()

    #expect(finishError(dispatcher)?.thrown.count == 1)
  }

  @Test("is not reported to others if a thread waits for it")
  func waitedFor() throws {
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .atOnce))
    let handle = dispatcher.background.submit { throw Torn() }

    #expect(try handle.wait() == .failed(Torn()))
    try dispatcher.finish()
  }

  @Test("is not reported to others if a Task awaits it")
  func awaited() throws {
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .atOnce))
    let log = Log()
    Task(executorPreference: dispatcher.foreground.executor) {
      do { try await dispatcher.background.run { throw Torn(page: 3) } } catch {
        log.note("\(error)")
      }
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["Torn(page: 3)"])
    try dispatcher.finish()
  }

  @Test("reaches the reply of background-then-foreground, and nothing else")
  func reply() throws {
    let dispatcher = RecordingDispatcher(.init(thrownErrors: .atOnce))
    let log = Log()
    dispatcher.background.async {
      throw Torn(page: 5)
    } then: { (result: Result<Int, any Error>) in
      log.note("\(result)")
    }

    try dispatcher.runUntilIdle()

    #expect(log.all.count == 1)
    #expect(log.all.first?.contains("Torn(page: 5)") == true)
    try dispatcher.finish()
  }

  @Test("does not hide leftovers, nor leftovers it")
  func besideLeftovers() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.submit { throw Torn() }
    try dispatcher.runUntilIdle()
    dispatcher.foreground.async(label: "left") {}

    let error = try #require(finishError(dispatcher))

    #expect(error.leftovers.labels == ["left"])
    #expect(error.thrown.count == 1)
  }
}
