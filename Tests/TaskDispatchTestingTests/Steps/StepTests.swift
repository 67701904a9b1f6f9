import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A step")
struct StepTests {
  @Test("runs the oldest foreground task and returns its record")
  func foreground() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground.async(label: "first") { log.note("first") }
    dispatcher.foreground.async(label: "second") { log.note("second") }
    let line = #line - 1

    let record = try dispatcher.runNextForegroundTask()

    #expect(log.all == ["first"])
    #expect(record.label == "first")
    #expect(record.id == TaskID(1))
    #expect(record.lane == .foreground)
    #expect(record.queue == "foreground")
    #expect(record.site.line == UInt32(line - 1))
    #expect(record.site.fileID == "TaskDispatchTestingTests/StepTests.swift")
    #expect(record.parent == nil)
    #expect(try dispatcher.runNextForegroundTask().label == "second")
    try dispatcher.finish()
  }

  @Test("runs the oldest background task, of any view, and returns its record")
  func background() throws {
    let dispatcher = RecordingDispatcher()
    let view = dispatcher.makeQueue(label: "disk", width: 2)
    dispatcher.background.async(label: "first") {}
    view.async(label: "second") {}

    #expect(try dispatcher.runNextBackgroundTask().queue == "background")
    let second = try dispatcher.runNextBackgroundTask()

    #expect(second.label == "second")
    #expect(second.queue == "disk")
    #expect(second.lane == .background)
    try dispatcher.finish()
  }

  @Test("of one lane leaves the other lane alone")
  func lanesAreApart() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "background") {}
    dispatcher.foreground.async(label: "foreground") {}

    try dispatcher.runNextForegroundTask()

    #expect(dispatcher.ran == ["foreground"])
    #expect(dispatcher.pendingTasks.labels == ["background"])
    try dispatcher.runNextBackgroundTask()
    try dispatcher.finish()
  }

  @Test("takes its task out of the queue before the body runs", arguments: Lane.allCases)
  func dequeuesFirst(lane: Lane) throws {
    let dispatcher = RecordingDispatcher()
    let waiting = Slot<[PendingTask]>()
    let queue = lane == .foreground ? dispatcher.foreground : dispatcher.background
    queue.async(label: "asks") { waiting.value = dispatcher.pendingTasks }
    queue.async(label: "waits") {}

    try dispatcher.runTask(labeled: "asks")

    #expect(waiting.value?.labels == ["waits"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of a view runs the next task of that view")
  func ofView() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "before") {}
    disk.async(label: "read") {}

    let record = try dispatcher.runNextTask(on: disk)

    #expect(record.label == "read")
    #expect(dispatcher.pendingTasks.first?.isStarted == true, "a worker had to start it first")
    #expect(try dispatcher.runNextBackgroundTask().label == "before")
    try dispatcher.finish()
  }

  @Test("of a lane's own queue does not take a view's task")
  func ofBackgroundItself() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.async(label: "read") {}
    dispatcher.background.async(label: "own") {}
    dispatcher.foreground.async(label: "fore") {}

    #expect(try dispatcher.runNextTask(on: dispatcher.background).label == "own")
    #expect(try dispatcher.runNextTask(on: dispatcher.foreground).label == "fore")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of a barrier's queue is a step of that queue")
  func ofBarrier() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 2)
    store.async(label: "read") {}

    #expect(try dispatcher.runNextTask(on: store.barrier).label == "read")
    try dispatcher.finish()
  }

  @Test("by label runs the one task that has it")
  func byLabel() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "hash") {}
    dispatcher.background.async(label: "compress") {}

    #expect(try dispatcher.runTask(labeled: "compress").label == "compress")
    #expect(try dispatcher.runTask(labeled: "hash").label == "hash")
    try dispatcher.finish()
  }

  @Test("by id runs the task with that id")
  func byID() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background {}
    dispatcher.background {}
    let second = try #require(dispatcher.pendingTasks.last).task.id

    #expect(try dispatcher.runTask(second).id == second)
    #expect(dispatcher.pendingTasks.map(\.task.id) == [TaskID(1)])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("runs on the thread that asks for it")
  func runsHere() throws {
    let dispatcher = RecordingDispatcher()
    let thread = Slot<ObjectIdentifier>()
    dispatcher.background { thread.value = thisThread() }

    try dispatcher.runNextBackgroundTask()

    #expect(thread.value == thisThread())
    try dispatcher.finish()
  }
}
