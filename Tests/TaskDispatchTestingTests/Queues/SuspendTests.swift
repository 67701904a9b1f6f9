import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("A suspended view")
struct SuspendTests {
  private let dispatcher = RecordingDispatcher()

  @Test("starts nothing until it is resumed, and then runs in order")
  func holds() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.async(label: "a") {}
    disk.suspend()
    disk.async(label: "b") {}

    #expect(try dispatcher.runUntilIdle() == 0)
    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["a", "b"])
    try dispatcher.finish()
  }

  @Test("takes as many resumes as suspends")
  func nests() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.suspend()
    disk {}

    disk.resume()
    #expect(dispatcher.runnableTasks.isEmpty)
    disk.resume()
    #expect(dispatcher.runnableTasks.count == 1)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("holds no other queue back")
  func onlyItself() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk.async(label: "held") {}
    dispatcher.background.async(label: "free") {}
    dispatcher.foreground.async(label: "loop") {}

    try dispatcher.runUntilIdle()

    #expect(Set(dispatcher.ran) == ["free", "loop"])
    disk.resume()
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("holds its barriers too, and may be suspended through its barrier")
  func barriers() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    disk.barrier.suspend()
    disk.barrier.async(label: "barrier") {}
    disk.async(label: "after") {}
    #expect(dispatcher.runnableTasks.isEmpty)

    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["barrier", "after"])
    try dispatcher.finish()
  }

  @Test("holds the jobs of Tasks that prefer it")
  func jobs() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    Task(executorPreference: disk.executor) { log.note("ran") }

    try dispatcher.runUntilIdle()
    #expect(log.all.isEmpty)

    disk.resume()
    try dispatcher.runUntilIdle()
    #expect(log.all == ["ran"])
    try dispatcher.finish()
  }

  @Test("lets its tasks be cancelled")
  func cancel() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit {}

    #expect(handle.cancel() == .beforeStart)

    #expect(dispatcher.pendingTasks.isEmpty)
    disk.resume()
    try dispatcher.finish()
  }

  @Test("may be suspended and resumed by its own tasks")
  func fromInside() throws {
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.async(label: "suspends") { disk.suspend() }
    disk.async(label: "held") {}
    dispatcher.foreground.async(label: "resumes") { disk.resume() }

    try dispatcher.runBackgroundUntilIdle()
    #expect(dispatcher.ran == ["suspends"])
    try dispatcher.runUntilIdle()

    #expect(dispatcher.ran == ["suspends", "resumes", "held"])
    try dispatcher.finish()
  }
}

@Suite("flush()")
struct FlushTests {
  private let dispatcher = RecordingDispatcher()

  /// A Task on the foreground that flushes `queue`, and notes when that has ended.
  private func flushing(_ queue: TaskQueue, _ log: Log) throws {
    Task(executorPreference: dispatcher.foreground.executor) {
      await queue.flush()
      log.note("flushed")
    }
    try dispatcher.runNextForegroundTask()
  }

  @Test("returns at once from an empty queue")
  func empty() throws {
    let log = Log()

    try flushing(dispatcher.background, log)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["flushed"])
    try dispatcher.finish()
  }

  @Test("waits for what was submitted before, started or not, and for nothing after")
  func before() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 2)
    disk.async(label: "a") { log.note("a") }
    disk.async(label: "b") { log.note("b") }
    disk.barrier { log.note("c") }
    try dispatcher.runTask(labeled: "b")
    try flushing(disk, log)
    disk { log.note("after") }

    try dispatcher.runForegroundUntilIdle()
    #expect(log.all == ["b"])
    try dispatcher.runNextBackgroundTask()
    try dispatcher.runNextBackgroundTask()
    try dispatcher.runForegroundUntilIdle()

    #expect(log.all == ["b", "a", "c", "flushed"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of one queue does not wait for another")
  func otherQueues() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk {}
    dispatcher.background {}

    try flushing(dispatcher.makeQueue(label: "net", width: 1), log)
    try dispatcher.runForegroundUntilIdle()

    #expect(log.all == ["flushed"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("of the foreground waits for its posted tasks and for timers that are due")
  func foreground() throws {
    let log = Log()
    dispatcher.foreground.after(.seconds(1)) { log.note("due") }
    let later = dispatcher.foreground.after(.seconds(9)) {}
    try dispatcher.skipTime(by: .seconds(1))
    dispatcher.foreground { log.note("posted") }
    Task(executorPreference: dispatcher.background.executor) {
      await dispatcher.foreground.flush()
      log.note("flushed")
    }

    try dispatcher.runBackgroundUntilIdle()
    #expect(log.all.isEmpty)
    try dispatcher.runUntilIdle()

    #expect(log.all == ["due", "posted", "flushed"])
    later.cancel()
    try dispatcher.finish()
  }

  @Test("ends when what it waits for is cancelled, expires or fails")
  func otherEnds() throws {
    struct Torn: Error {}
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let cancelled = disk.submit {}
    disk.async(timeToLive: .zero) {}
    let fails = disk.submit { throw Torn() }
    try flushing(disk, log)

    cancelled.cancel()
    try dispatcher.skipTime(by: .seconds(1))
    disk.resume()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["flushed"])
    _ = fails.outcomeIfFinished
    try dispatcher.finish()
  }

  @Test("waits for a suspended queue to be resumed")
  func suspended() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    try flushing(disk, log)

    try dispatcher.runUntilIdle()
    #expect(log.all.isEmpty)

    disk.resume()
    try dispatcher.runUntilIdle()
    #expect(log.all == ["flushed"])
    try dispatcher.finish()
  }

  @Test("of the queue that the flushing Task runs on does not wait for itself")
  func ownQueue() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk { log.note("before") }
    Task(executorPreference: disk.executor) {
      await disk.flush()
      log.note("flushed")
    }
    disk { log.note("submitted before the flush") }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["before", "submitted before the flush", "flushed"])
    try dispatcher.finish()
  }

  @Test("waits for a task that waits for room in the queue")
  func waitingForRoom() throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk { log.note("first") }
    Task(executorPreference: dispatcher.foreground.executor) {
      try await disk.run { log.note("second") }
    }
    Task(executorPreference: dispatcher.foreground.executor) {
      await disk.flush()
      log.note("flushed")
    }
    try dispatcher.runForegroundUntilIdle()

    try dispatcher.runUntilIdle()

    #expect(log.all == ["first", "second", "flushed"])
    try dispatcher.finish()
  }

  @Test("ends when a shutdown cancels the plain tasks that it waits for")
  func shutdown() throws {
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    disk {}
    try flushing(disk, log)

    dispatcher.beginShutdown()
    try dispatcher.runUntilIdle()

    #expect(log.all == ["flushed"])
    try dispatcher.finish()
  }
}
