import TaskDispatch
import TaskDispatchTesting
import Testing

/// Every kind of obstacle, as `pendingTasks` shows it.
@Suite("What keeps a task from running")
struct ObstacleTests {
  @Test("is nothing, for the head of each lane")
  func heads() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "f") {}
    dispatcher.background.async(label: "b") {}

    #expect(dispatcher.pendingTasks.map(\.obstacle) == [nil, nil])
    #expect(dispatcher.runnableTasks.labels == ["f", "b"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is what stands before it on the foreground, in order")
  func behindOnForeground() throws {
    let dispatcher = RecordingDispatcher()
    for _ in 0..<3 { dispatcher.foreground {} }

    #expect(
      dispatcher.pendingTasks.map(\.obstacle)
        == [nil, .behind([TaskID(1)]), .behind([TaskID(1), TaskID(2)])])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is what stands before it when free workers do not reach that far")
  func behindOnBackground() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    for _ in 0..<3 { dispatcher.background {} }

    #expect(
      dispatcher.pendingTasks.map(\.obstacle) == [nil, nil, .behind([TaskID(1), TaskID(2)])])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is the width of its view, when that many of it have started")
  func viewIsFull() throws {
    let dispatcher = RecordingDispatcher(.init(width: 3))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let inside = Slot<[PendingTask]>()
    disk.async(label: "runs") { inside.value = dispatcher.pendingTasks }
    disk.async(label: "waits") {}

    try dispatcher.runNextBackgroundTask()

    #expect(inside.value?.map(\.obstacle) == [.widthReached(queue: "disk", width: 1)])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is the width of the pool, when every worker is taken")
  func poolIsFull() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let disk = dispatcher.makeQueue(label: "disk", width: 4)
    let inside = Slot<[PendingTask]>()
    dispatcher.background { inside.value = dispatcher.pendingTasks }
    disk {}

    try dispatcher.runNextBackgroundTask()

    #expect(inside.value?.map(\.obstacle) == [.widthReached(queue: "background", width: 1)])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is the barrier before it, whether that waits or runs")
  func behindBarrier() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    let inside = Slot<[PendingTask]>()
    store.barrier.async(label: "write") { inside.value = dispatcher.pendingTasks }
    store.async(label: "read") {}

    guard case .barrier(let barrier) = dispatcher.pendingTasks.last?.obstacle else {
      Issue.record("\(dispatcher.pendingTasks)")
      return
    }
    #expect(barrier?.label == "write")

    try dispatcher.runNextBackgroundTask()

    guard case .barrier(let running) = inside.value?.first?.obstacle else {
      Issue.record("\(inside.value as Any)")
      return
    }
    #expect(running?.label == "write")
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is that it runs alone, for a barrier with others before it, started or not")
  func runsAlone() throws {
    let dispatcher = RecordingDispatcher()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    let inside = Slot<[PendingTask]>()
    store { inside.value = dispatcher.pendingTasks }
    store {}
    store.barrier {}

    #expect(dispatcher.pendingTasks.last?.obstacle == .runsAlone(after: [TaskID(1), TaskID(2)]))
    try dispatcher.runTask(TaskID(2))
    #expect(dispatcher.pendingTasks.last?.obstacle == .runsAlone(after: [TaskID(1)]))
    try dispatcher.runNextBackgroundTask()
    #expect(inside.value?.last?.obstacle == .runsAlone(after: [TaskID(1)]))
    #expect(dispatcher.pendingTasks.last?.obstacle == nil)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is that its queue is suspended")
  func suspended() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk {}
    disk.barrier {}

    disk.suspend()

    #expect(
      dispatcher.pendingTasks.map(\.obstacle)
        == [.suspended(queue: "disk"), .suspended(queue: "disk")])
    disk.resume()
    #expect(dispatcher.pendingTasks.first?.obstacle == nil)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is its time, which the record of the wait also carries")
  func awaitingTime() throws {
    let dispatcher = RecordingDispatcher()
    let timer = dispatcher.background.after(.seconds(2)) {}
    let ticks = dispatcher.foreground.every(.seconds(5)) {}
    let times = [2, 5].map { DispatcherInstant.start.advanced(by: .seconds($0)) }

    let pending = dispatcher.pendingTasks

    #expect(pending.map(\.obstacle) == times.map { .awaitingTime(until: $0) })
    #expect(pending.map(\.due) == times)
    #expect(pending.map(\.repeats) == [false, true])
    timer.cancel()
    ticks.cancel()
    try dispatcher.finish()
  }

  @Test("is its group, for a notification")
  func awaitingGroup() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    group.enter()
    group.notify(on: dispatcher.foreground, label: "done") {}

    #expect(dispatcher.pendingTasks.map(\.obstacle) == [.awaitingGroup])
    group.leave()
    #expect(dispatcher.pendingTasks.map(\.obstacle) == [nil])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is nothing more for a task that has started, and that shows")
  func started() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    disk.async(label: "first") {}
    disk.async(label: "second") {}

    try dispatcher.runTask(labeled: "second")
    disk.suspend()

    #expect(dispatcher.pendingTasks.map(\.isStarted) == [true])
    #expect(dispatcher.runnableTasks.labels == ["first"])
    try dispatcher.runNextBackgroundTask()
    try dispatcher.finish()
  }

  @Test("takes the ready tokens of other queues into account")
  func turns() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    dispatcher.background.async(label: "first") {}
    disk.async(label: "second") {}

    #expect(dispatcher.runnableTasks.labels == ["first"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("is nothing that a task could run in spite of, once its time to live has passed")
  func expired() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.background.async(label: "stale", timeToLive: .zero) {}

    try dispatcher.skipTime(by: .nanoseconds(1))

    #expect(dispatcher.runnableTasks.isEmpty)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }
}
