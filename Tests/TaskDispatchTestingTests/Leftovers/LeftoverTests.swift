import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("What is left over at finish()")
struct LeftoverTests {
  @Test("is nothing, and then finish() has nothing to say")
  func nothing() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground {}
    try dispatcher.runUntilIdle()

    try dispatcher.finish()
  }

  @Test("is named with label, queue, deadline, call site and the tasks that led there")
  func named() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let line = UInt32(#line + 3)
    dispatcher.foreground.async(label: "grandparent") {
      dispatcher.background.async(label: "parent") {
        disk.after(.seconds(5), label: "late") {}
      }
    }
    try dispatcher.runUntilIdle()

    let error = try #require(finishError(dispatcher))

    let leftover = try #require(error.leftovers.first)
    #expect(error.leftovers.count == 1)
    #expect(leftover.task.label == "late")
    #expect(leftover.task.queue == "disk")
    #expect(leftover.task.site.line == line)
    #expect(leftover.due?.sinceStart == .seconds(5))
    #expect(leftover.ancestors.map(\.label) == ["parent", "grandparent"])
  }

  @Test("is listed in the order of submission, wherever it waits")
  func order() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.after(.seconds(1), label: "1") {}
    dispatcher.background.async(label: "2") {}
    dispatcher.foreground.async(label: "3") {}
    WorkGroup().notify(on: dispatcher.foreground, label: "4") {}

    #expect(finishError(dispatcher)?.leftovers.labels == ["1", "2", "3", "4"])
  }

  @Test("includes a notification whose group never emptied")
  func notification() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    group.enter()
    group.notify(on: dispatcher.foreground, label: "done") {}

    #expect(finishError(dispatcher)?.leftovers.map(\.obstacle) == [.awaitingGroup])
    group.leave()
  }

  @Test("does not include a task that was cancelled, expired or refused")
  func ended() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 2)))
    dispatcher.background.submit {}.cancel()
    dispatcher.background.async(timeToLive: .zero) {}
    dispatcher.background {}
    dispatcher.background {}
    try dispatcher.skipTime(by: .seconds(1))
    try dispatcher.runUntilIdle()

    try dispatcher.finish()
  }

  @Test("does not include a registration that waits for an event")
  func registration() throws {
    let dispatcher = RecordingDispatcher()
    try dispatcher.onSignal(.terminate) { _ in }

    try dispatcher.finish()
  }

  @Test("includes an event that was delivered and not served")
  func event() throws {
    let dispatcher = RecordingDispatcher()
    try dispatcher.onSignal(.terminate) { _ in }
    try dispatcher.raise(.terminate)

    #expect(finishError(dispatcher)?.leftovers.labels == ["SIGTERM"])
  }

  @Test("is not reported, if that is the policy")
  func ignored() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    dispatcher.foreground {}
    dispatcher.foreground.every(.seconds(1)) {}

    try dispatcher.finish()
  }

  @Test("can leave repeating timers out, and nothing else")
  func repeating() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .failExceptRepeating))
    dispatcher.foreground.every(.seconds(1), label: "tick") {}
    try dispatcher.advanceTime(by: .seconds(2))
    dispatcher.foreground.after(.seconds(1), label: "once") {}

    #expect(finishError(dispatcher)?.leftovers.labels == ["once"])
  }

  @Test("names repeating timers as such, if they count")
  func repeatingCounts() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.every(.seconds(1), label: "tick") {}

    #expect(finishError(dispatcher)?.leftovers.map(\.repeats) == [true])
  }

  @Test("may include a task that is allowed by its id")
  func byID() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "allowed") {}
    dispatcher.foreground.async(label: "not") {}
    dispatcher.allowLeftover(TaskID(1))

    #expect(finishError(dispatcher)?.leftovers.labels == ["not"])
  }

  @Test("may include every task with an allowed label, those to come too")
  func byLabel() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "poll") {}
    dispatcher.allowLeftovers(labeled: "poll")
    dispatcher.foreground.async(label: "poll") {}
    dispatcher.foreground.async(label: "polls") {}

    #expect(finishError(dispatcher)?.leftovers.labels == ["polls"])
  }

  @Test("may include what is submitted in a scope, and nothing before or after it")
  func byScope() throws {
    struct Unwanted: Error {}
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "before") {}

    let value = dispatcher.allowingLeftovers {
      dispatcher.foreground.async(label: "inside") {}
      dispatcher.allowingLeftovers { _ = dispatcher.foreground.async(label: "nested") {} }
      dispatcher.foreground.every(.seconds(1), label: "still inside") {}
      return 7
    }
    #expect(throws: Unwanted.self) {
      try dispatcher.allowingLeftovers { throw Unwanted() }
    }
    dispatcher.foreground.async(label: "after") {}

    #expect(value == 7)
    #expect(finishError(dispatcher)?.leftovers.labels == ["before", "after"])
  }

  @Test("may include the due runs of a repeating timer that is allowed")
  func runsOfAllowed() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.allowingLeftovers {
      _ = dispatcher.foreground.every(.seconds(1), catchUp: .all, label: "tick") {}
    }

    try dispatcher.skipTime(by: .seconds(3))

    #expect(dispatcher.runnableTasks.labels == ["tick"])
    try dispatcher.finish()
  }
}
