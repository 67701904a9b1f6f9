import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A barrier")
struct BarrierTests {
  @Test("runs after all that was submitted before, and before all that comes after")
  func divides() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    store.async(priority: .lowest, label: "before") {}
    store.barrier.async(priority: .high, label: "barrier") {}
    store.async(priority: .high, label: "after") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["before", "barrier", "after"])
    try dispatcher.finish()
  }

  @Test("waits for what has started, and holds back what comes after while it has not ended")
  func alone() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    let seen = Log()
    store.async(label: "a") {}
    store.async(label: "b") {}
    store.barrier.async(label: "write") {
      store.async(label: "inside") {}
      seen.note("\(dispatcher.runnableTasks.count)")
    }
    store.async(label: "c") {}
    try dispatcher.runTask(labeled: "b")

    guard
      case .notRunnable(let write) = stepError({ try dispatcher.runTask(labeled: "write") })
    else { return }
    #expect(write.obstacle == .runsAlone(after: [TaskID(1)]))

    try dispatcher.runUntilIdle()
    #expect(seen.all == ["0"])
    #expect(dispatcher.ran == ["a", "b", "write", "c", "inside"])
    try dispatcher.finish()
  }

  @Test("concerns only its own view")
  func onlyItsView() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    store {}
    store.barrier.async(label: "barrier") {}
    disk.async(label: "disk") {}
    dispatcher.background.async(label: "background") {}

    #expect(try dispatcher.runTask(labeled: "disk").queue == "disk")
    #expect(try dispatcher.runTask(labeled: "background").queue == "background")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("divides the background itself, and no view")
  func ofBackground() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "a") {}
    dispatcher.background.barrier.async(label: "b") {}
    dispatcher.background.async(priority: .high, label: "c") {}
    disk.async(label: "d") {}

    try dispatcher.runTask(labeled: "d")
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran(on: dispatcher.background) == ["a", "b", "c"])
    try dispatcher.finish()
  }

  @Test("changes nothing on the foreground")
  func ofForeground() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "a") {}
    dispatcher.foreground.barrier.async(label: "b") {}
    dispatcher.foreground.async(label: "c") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["a", "b", "c"])
    try dispatcher.finish()
  }

  @Test("that is cancelled divides nothing any more")
  func cancelled() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    store.async(label: "before") {}
    let barrier = store.barrier.submit(label: "barrier") {}
    store.async(label: "after") {}

    #expect(barrier.cancel() == .beforeStart)

    #expect(dispatcher.runnableTasks.labels == ["before", "after"])
    try dispatcher.runTask(labeled: "after")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("comes in every form of submission", arguments: 0..<4)
  func everyForm(form: Int) throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    let log = Log()
    store { log.note("before") }
    switch form {
    case 0: store.barrier { log.note("barrier") }
    case 1: store.barrier.submit { log.note("barrier") }
    case 2: try store.barrier.sync { log.note("barrier") }
    default:
      store.barrier.after(.seconds(1)) { log.note("barrier") }
      try dispatcher.skipTime(by: .seconds(1))
    }
    store { log.note("after") }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["before", "barrier", "after"])
    try dispatcher.finish()
  }

  @Test("follows another barrier, and two run one after the other")
  func two() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    store.barrier.async(label: "a") {}
    store.barrier.async(label: "b") {}

    #expect(dispatcher.runnableTasks.labels == ["a"])
    try dispatcher.runUntilIdle()
    #expect(dispatcher.ran == ["a", "b"])
    try dispatcher.finish()
  }

  @Test("has no executor: taking one traps")
  func executor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = RecordingDispatcher().background.barrier.executor
    }
    #expect(result?.said("a barrier has no executor; take that of background") == true)
  }
}
