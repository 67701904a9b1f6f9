import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("The tasks that led to a task")
struct AncestryTests {
  @Test("are its parent, then the parent's parent, and none for a task of the test")
  func chain() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "type") {
      dispatcher.background.async(label: "fetch") { dispatcher.foreground.async(label: "show") {} }
    }

    try dispatcher.runUntilIdle()

    let show = try #require(dispatcher.history.last { $0.task.label == "show" }).task
    #expect(dispatcher.ancestors(of: show.id).map(\.label) == ["fetch", "type"])
    #expect(show.parent == TaskID(2))
    #expect(dispatcher.ancestors(of: TaskID(1)).isEmpty)
    try dispatcher.finish()
  }

  @Test("are known while it waits, in whatever way it waits", arguments: 0..<6)
  func whileItWaits(index: Int) throws {
    let dispatcher = RecordingDispatcher(.init(leftovers: .ignore))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let group = WorkGroup()
    group.enter()
    dispatcher.foreground.async(label: "grandparent") {
      dispatcher.background.async(label: "parent") {
        switch index {
        case 0: dispatcher.foreground {}
        case 1: dispatcher.background.submit {}
        case 2: dispatcher.foreground.after(.seconds(1)) {}
        case 3: dispatcher.background.every(.seconds(1)) {}
        case 4: group.notify(on: dispatcher.foreground) {}
        default: disk.async(label: "held") {}
        }
      }
    }
    try dispatcher.runNextForegroundTask()
    try dispatcher.runNextBackgroundTask()

    let waiting = try #require(dispatcher.pendingTasks.first)

    #expect(waiting.ancestors.map(\.label) == ["parent", "grandparent"])
    #expect(waiting.task.parent == TaskID(2))
    group.leave()
    try dispatcher.finish()
  }

  @Test("are still known once it was cancelled, and once its time has come")
  func afterwards() throws {
    let dispatcher = RecordingDispatcher()
    let handle = Slot<TaskHandle<Void>>()
    dispatcher.foreground.async(label: "parent") {
      handle.value = dispatcher.background.submit(label: "cancelled") {}
      dispatcher.background.after(.seconds(1), label: "timer") {}
    }
    try dispatcher.runNextForegroundTask()
    handle.value?.cancel()
    try dispatcher.advanceTime(by: .seconds(1))

    for label in ["cancelled", "timer"] {
      let task = try #require(dispatcher.history.last { $0.task.label == label }).task
      #expect(dispatcher.ancestors(of: task.id).map(\.label) == ["parent"], "\(label)")
    }
    try dispatcher.finish()
  }

  @Test("of a reply begin with the work that it answers")
  func reply() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "load") {
      1
    } then: { (_: Result<Int, any Error>) in
    }

    try dispatcher.runUntilIdle()

    let reply = try #require(dispatcher.history.last).task
    #expect(reply.lane == .foreground)
    #expect(dispatcher.ancestors(of: reply.id).map(\.label) == ["load"])
    try dispatcher.finish()
  }

  @Test("of a sync body are the tasks that wait for it")
  func sync() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.foreground.async(label: "outer") {
      try! store.sync { _ = dispatcher.background.async(label: "inner") {} }
    }

    try dispatcher.runUntilIdle()

    let inner = try #require(dispatcher.history.last { $0.task.label == "inner" }).task
    #expect(dispatcher.ancestors(of: inner.id).map(\.queue) == ["store", "foreground"])
    try dispatcher.finish()
  }

  @Test("of a Task's job are the task that started it")
  func jobs() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "starts") {
      Task(executorPreference: dispatcher.background.executor) {}
    }
    try dispatcher.runNextForegroundTask()

    #expect(dispatcher.pendingTasks.first?.ancestors.map(\.label) == ["starts"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of another dispatcher's task are none of this one's")
  func otherDispatcher() throws {
    let dispatcher = RecordingDispatcher()
    let other = RecordingDispatcher()
    dispatcher.foreground { other.foreground {} }

    try dispatcher.runUntilIdle()

    #expect(other.pendingTasks.first?.task.parent == nil)
    try other.runUntilIdle()
  }

  @Test("do not grow for ever when a task submits itself for ever", arguments: [true, false])
  func bounded(recordsHistory: Bool) throws {
    let dispatcher = RecordingDispatcher(
      .init(leftovers: .ignore, recordsHistory: recordsHistory))
    @Sendable func again(_ generation: Int) {
      dispatcher.foreground.async(label: "\(generation)") { again(generation + 1) }
    }
    again(0)

    for _ in 0..<1_000 { try dispatcher.runNextForegroundTask() }

    let ancestors = try #require(dispatcher.pendingTasks.first).ancestors
    #expect(ancestors.count == 32)
    #expect(ancestors.map(\.label) == (968..<1_000).reversed().map { "\($0)" })
    try dispatcher.finish()
  }
}
