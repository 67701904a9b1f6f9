import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Asking a recording dispatcher")
struct QueryTests {
  @Test("which task runs: one inside its body, none between steps")
  func currentTask() throws {
    let dispatcher = RecordingDispatcher()
    let inside = Slot<TaskRecord>()
    dispatcher.background.async(label: "asks") { inside.value = dispatcher.currentTask }
    #expect(dispatcher.currentTask == nil)

    let ran = try dispatcher.runNextBackgroundTask()

    #expect(inside.value == ran)
    #expect(dispatcher.currentTask == nil)
    #expect(dispatcher.runningTasks.isEmpty)
    try dispatcher.finish()
  }

  @Test("which tasks stand on the stack, when bodies wait for others")
  func runningTasks() throws {
    let dispatcher = RecordingDispatcher()
    let inside = Slot<[TaskRecord]>()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.foreground.async(label: "outer") {
      let inner = dispatcher.background.submit(label: "inner") {
        try store.sync { inside.value = dispatcher.runningTasks }
      }
      _ = try? inner.wait()
    }

    try dispatcher.runUntilIdle()

    #expect(inside.value?.map(\.label) == ["outer", "inner", nil])
    #expect(inside.value?.map(\.queue) == ["foreground", "background", "store"])
    try dispatcher.finish()
  }

  @Test("what ran, in the order of the starts, by label or else by file and line")
  func ran() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "b") {}
    let line = #line + 1
    dispatcher.foreground {}
    #expect(dispatcher.ran == [])

    try dispatcher.runNextForegroundTask()
    try dispatcher.runNextBackgroundTask()

    #expect(dispatcher.ran == ["TaskDispatchTestingTests/QueryTests.swift:\(line)", "b"])
    try dispatcher.finish()
  }

  @Test("what ran on one queue, even if another has the same label")
  func ranOnQueue() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.async(label: "a") {}
    disk.barrier.async(label: "b") {}
    dispatcher.background.async(label: "c") {}
    dispatcher.foreground.async(label: "d") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran(on: disk) == ["a", "b"])
    #expect(dispatcher.ran(on: disk.barrier) == ["a", "b"])
    #expect(dispatcher.ran(on: dispatcher.background) == ["c"])
    #expect(dispatcher.ran(on: dispatcher.foreground) == ["d"])
    try dispatcher.finish()
  }

  @Test("whether a label has run, which it has once it started")
  func hasRun() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "a") {}
    #expect(!dispatcher.hasRun("a"))
    #expect(!dispatcher.hasRun("b"))

    try dispatcher.runUntilIdle()

    #expect(dispatcher.hasRun("a"))
    try dispatcher.finish()
  }

  @Test("whether it is idle: timers that are not due do not count, suspended tasks do not")
  func isIdle() throws {
    let dispatcher = RecordingDispatcher()
    #expect(dispatcher.isIdle)

    let timer = dispatcher.foreground.after(.seconds(1)) {}
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    #expect(dispatcher.isIdle)

    disk.resume()
    #expect(!dispatcher.isIdle)
    try dispatcher.runUntilIdle()
    #expect(dispatcher.isIdle)

    try dispatcher.skipTime(by: .seconds(1))
    #expect(!dispatcher.isIdle)
    timer.cancel()
    try dispatcher.finish()
  }

  @Test("what waits, in the order of submission, wherever it waits")
  func pendingTasks() throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let group = WorkGroup()
    group.enter()
    dispatcher.foreground.after(.seconds(1), label: "1") {}
    disk.barrier.async(label: "2") {}
    dispatcher.background.async(priority: .high, label: "3") {}
    group.notify(on: disk, label: "4") {}
    dispatcher.foreground.async(label: "5") {}

    #expect(dispatcher.pendingTasks.labels == ["1", "2", "3", "4", "5"])
    #expect(dispatcher.runnableTasks.labels == ["2", "3", "5"])
    try dispatcher.finish()
  }

  @Test("when time next makes something happen")
  func nextDeadline() throws {
    let dispatcher = RecordingDispatcher()
    #expect(dispatcher.nextDeadline == nil)

    let late = dispatcher.foreground.after(.seconds(9)) {}
    let early = dispatcher.background.after(.seconds(3)) {}
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(3))

    early.cancel()
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(9))
    late.cancel()
    #expect(dispatcher.nextDeadline == nil)

    dispatcher.background {}
    dispatcher.beginShutdown(.init(drain: .seconds(2), cancel: .seconds(1)))
    #expect(dispatcher.nextDeadline?.sinceStart == .seconds(2))
    try dispatcher.runUntilIdle()
    #expect(dispatcher.nextDeadline == nil)
    try dispatcher.finish()
  }
}
