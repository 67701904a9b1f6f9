import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A work group")
struct GroupTests {
  private struct Torn: Error {}

  @Test("is left when a task has ended, however it ends")
  func left() throws {
    let dispatcher = RecordingDispatcher(
      .init(thrownErrors: .ignore, overflow: .reject(limit: 4)))
    let group = WorkGroup()
    dispatcher.background.async(group: group) {}
    dispatcher.background.submit(group: group) { throw Torn() }
    let cancelled = dispatcher.background.submit(group: group) {}
    dispatcher.background.async(group: group, timeToLive: .zero) {}
    #expect(group.count == 4)

    #expect(dispatcher.background.async(group: group) {} == .refused(.limitReached))
    #expect(group.count == 4, "a refused submission has left again")
    cancelled.cancel()
    #expect(group.count == 3)
    try dispatcher.skipTime(by: .nanoseconds(1))
    try dispatcher.runUntilIdle()

    #expect(group.count == 0)
    try dispatcher.finish()
  }

  @Test("still counts a task inside its body, and no longer when the step returns")
  func counts() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    let inside = Slot<Int>()
    dispatcher.background.async(group: group) { inside.value = group.count }

    try dispatcher.runNextBackgroundTask()

    #expect(inside.value == 1)
    #expect(group.count == 0)
    try dispatcher.finish()
  }

  @Test("notifies once it is empty, as a task of the queue it was told")
  func notifies() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    for _ in 0..<2 { dispatcher.background.async(group: group) {} }
    #expect(group.notify(on: dispatcher.foreground, label: "done") {} == .accepted)

    try dispatcher.runNextBackgroundTask()
    #expect(dispatcher.pendingTasks.last?.obstacle == .awaitingGroup)
    try dispatcher.runNextBackgroundTask()

    #expect(dispatcher.runnableTasks.labels == ["done"])
    #expect(!dispatcher.hasRun("done"), "it is submitted, not run")
    #expect(try dispatcher.runNextForegroundTask().label == "done")
    try dispatcher.finish()
  }

  @Test("notifies at once if it is empty already, and each of several")
  func notifiesAtOnce() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    group.notify(on: dispatcher.foreground, label: "a") {}
    group.notify(on: dispatcher.background, priority: .high, label: "b") {}

    try dispatcher.runUntilIdle()

    #expect(Set(dispatcher.ran) == ["a", "b"])
    try dispatcher.finish()
  }

  @Test("notifies about each emptying once, and can be used again")
  func usedAgain() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    for round in ["first", "second"] {
      group.enter()
      group.notify(on: dispatcher.foreground, label: round) {}
      try dispatcher.runUntilIdle()
      #expect(!dispatcher.hasRun(round))
      group.leave()
      try dispatcher.runUntilIdle()
    }

    #expect(dispatcher.ran == ["first", "second"])
    try dispatcher.finish()
  }

  @Test("notifies in the band that the notification asked for")
  func band() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let group = WorkGroup()
    dispatcher.background.async(label: "medium") {}
    group.notify(on: dispatcher.background, priority: .high, label: "notification") {}

    #expect(try dispatcher.runNextBackgroundTask().label == "notification")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("that is entered by hand waits for the hand that leaves")
  func byHand() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    group.enter()
    dispatcher.background.async(group: group) {}
    group.notify(on: dispatcher.foreground, label: "done") {}
    try dispatcher.runUntilIdle()
    #expect(!dispatcher.hasRun("done"))

    onAnotherThread { group.leave() }
    try dispatcher.runUntilIdle()

    #expect(dispatcher.hasRun("done"))
    try dispatcher.finish()
  }

  @Test("resumes the Tasks that await it, in steps")
  func awaited() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    let log = Log()
    dispatcher.background.async(group: group) { log.note("work") }
    Task(executorPreference: dispatcher.foreground.executor) {
      await group.wait()
      log.note("woke")
    }
    try dispatcher.runForegroundUntilIdle()
    #expect(log.all == [])

    try dispatcher.runNextBackgroundTask()
    #expect(log.all == ["work"])
    try dispatcher.runUntilIdle()

    #expect(log.all == ["work", "woke"])
    try dispatcher.finish()
  }

  @Test("may span dispatchers")
  func spans() throws {
    let one = RecordingDispatcher()
    let two = RecordingDispatcher()
    let group = WorkGroup()
    one.background.async(group: group) {}
    two.background.async(group: group) {}
    group.notify(on: one.foreground, label: "done") {}

    try one.runUntilIdle()
    #expect(!one.hasRun("done"))
    try two.runUntilIdle()
    try one.runUntilIdle()

    #expect(one.hasRun("done"))
    try one.finish()
    try two.finish()
  }

  @Test("that is left more often than entered traps")
  func leaveTooMuch() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      WorkGroup().leave()
    }
    #expect(
      result?.said("leave() on an empty group: each leave() needs an enter() before it") == true)
  }
}
