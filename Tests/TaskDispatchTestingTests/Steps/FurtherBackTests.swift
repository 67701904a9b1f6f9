import TaskDispatch
import TaskDispatchTesting
import Testing

/// `runTask(…)` for a task that has others before it. On threads those would have started, so the fake starts
/// them.
@Suite("Running a task further back")
struct FurtherBackTests {
  @Test("starts those before it, which run in later steps, the oldest first")
  func startsThoseBefore() throws {
    let dispatcher = RecordingDispatcher(.init(width: 3))
    for label in ["a", "b", "c", "d"] { dispatcher.background.async(label: label) {} }

    try dispatcher.runTask(labeled: "c")

    #expect(dispatcher.pendingTasks.map(\.isStarted) == [true, true, false])
    #expect(events(.started, in: dispatcher) == ["a", "b", "c"])
    #expect(try dispatcher.runNextBackgroundTask().label == "a")
    #expect(try dispatcher.runNextBackgroundTask().label == "b")
    #expect(try dispatcher.runNextBackgroundTask().label == "d")
    #expect(events(.finished(.completed), in: dispatcher) == ["c", "a", "b", "d"])
    try dispatcher.finish()
  }

  @Test("is refused where the workers do not reach, and nothing has started")
  func widthReached() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    for label in ["a", "b", "c"] { dispatcher.background.async(label: label) {} }

    guard
      case .notRunnable(let task) = stepError({ try dispatcher.runTask(labeled: "c") })
    else { return }

    #expect(task.obstacle == .behind([TaskID(1), TaskID(2)]))
    #expect(dispatcher.pendingTasks.map(\.isStarted) == [false, false, false])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("counts those that have started already against the width")
  func startedCount() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    for label in ["a", "b", "c", "d"] { dispatcher.background.async(label: label) {} }
    try dispatcher.runTask(labeled: "b")

    #expect(try dispatcher.runTask(labeled: "c").label == "c")
    _ = stepError { try dispatcher.runTask(TaskID(9)) }

    #expect(dispatcher.pendingTasks.map(\.isStarted) == [true, false])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is refused beyond the width of its view, although workers are free")
  func viewWidth() throws {
    let dispatcher = RecordingDispatcher(.init(width: 3))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.async(label: "a") {}
    disk.async(label: "b") {}

    guard
      case .notRunnable(let task) = stepError({ try dispatcher.runTask(labeled: "b") })
    else { return }

    #expect(task.obstacle == .behind([TaskID(1)]))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("goes by the ready tokens of the views: tasks of other queues start first")
  func turns() throws {
    let dispatcher = RecordingDispatcher(.init(width: 3))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "a") {}
    disk.async(label: "b") {}
    dispatcher.background.async(label: "c") {}

    try dispatcher.runTask(labeled: "c")

    #expect(events(.started, in: dispatcher) == ["a", "b", "c"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("that the ready token of another queue forbids is refused, and nothing has started")
  func turnsForbid() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let first = dispatcher.background.submit(label: "first") {}
    disk.async(label: "second") {}

    guard case .notRunnable = stepError({ try dispatcher.runTask(labeled: "second") }) else {
      return
    }
    guard case .nothingRunnable = stepError({ try dispatcher.runNextTask(on: disk) }) else {
      return
    }

    #expect(first.cancel() == .beforeStart)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of a higher band runs it first, and starts nothing")
  func higherBand() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    dispatcher.background.async(priority: .low, label: "low") {}
    dispatcher.background.async(priority: .high, label: "high") {}

    try dispatcher.runTask(labeled: "high")

    #expect(dispatcher.pendingTasks.map(\.isStarted) == [false])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("behind a barrier is refused; the barrier itself runs when it stands alone")
  func barriers() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    store.async(label: "before") {}
    store.barrier.async(label: "barrier") {}
    store.async(label: "after") {}

    for label in ["barrier", "after"] {
      guard case .notRunnable = stepError({ try dispatcher.runTask(labeled: label) }) else {
        return
      }
    }
    #expect(dispatcher.pendingTasks.allSatisfy { !$0.isStarted })
    try dispatcher.runTask(labeled: "before")
    try dispatcher.runTask(labeled: "barrier")
    try dispatcher.runTask(labeled: "after")
    try dispatcher.finish()
  }

  @Test("on the foreground is refused: it is strictly first in, first out")
  func foreground() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "first") {}
    dispatcher.foreground.async(label: "second") {}

    guard
      case .notRunnable(let task) = stepError({ try dispatcher.runTask(labeled: "second") })
    else { return }

    #expect(task.obstacle == .behind([TaskID(1)]))
    #expect(dispatcher.ran.isEmpty)
    try dispatcher.runTask(labeled: "first")
    try dispatcher.runTask(labeled: "second")
    try dispatcher.finish()
  }

  @Test("whose time has not come is refused, with its time")
  func timer() throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.background.after(.seconds(1), label: "timer") {}

    guard
      case .notRunnable(let task) = stepError({ try dispatcher.runTask(labeled: "timer") })
    else { return }

    #expect(task.obstacle == .awaitingTime(until: .start.advanced(by: .seconds(1))))
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("whose time to live has passed says something else than that it can run")
  func expired() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "stale", timeToLive: .zero) {}
    try dispatcher.skipTime(by: .nanoseconds(1))

    let error = stepError { try dispatcher.runTask(labeled: "stale") }

    if case .notRunnable(let task) = error { #expect(task.obstacle != nil) }
    #expect(!dispatcher.hasRun("stale"))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  private func events(
    _ kind: TaskEvent.Kind, in dispatcher: RecordingDispatcher
  ) -> [String?] {
    dispatcher.history.filter { $0.kind == kind }.map(\.task.label)
  }
}
