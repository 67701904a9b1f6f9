import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("sync from inside a task")
struct SyncInTasksTests {
  @Test("on the foreground lets free workers run what stands before it")
  func fromForeground() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store { log.note("before \(dispatcher.isForeground)") }
    dispatcher.foreground {
      try! store.sync { log.note("sync \(dispatcher.isForeground) \(store.isCurrent)") }
      log.note("ends")
    }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["before false", "sync true true", "ends"])
    try dispatcher.finish()
  }

  @Test("on the only worker lets that worker run what stands before it")
  func helps() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.background {
      store { log.note("before: \(dispatcher.background.isCurrent) \(store.isCurrent)") }
      dispatcher.background { log.note("of another queue") }
      try! store.sync { log.note("sync: \(dispatcher.background.isCurrent) \(store.isCurrent)") }
    }

    try dispatcher.runNextBackgroundTask()

    // The task that the worker runs while it waits is not on the queue of the waiting body. The `sync` body is.
    #expect(log.all == ["before: false true", "sync: true true"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("helps under the view's own rules: its width and barriers hold")
  func helpsByTheRules() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 2)
    dispatcher.background {
      store.async(priority: .low) { log.note("read") }
      store.barrier { log.note("write \(dispatcher.runningTasks.count)") }
      try! store.sync { log.note("sync") }
    }

    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["read", "write 2", "sync"])
    try dispatcher.finish()
  }

  @Test("of a worker on the foreground hops: the worker's queue is not current there")
  func hops() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    dispatcher.foreground { log.note("before") }
    dispatcher.background {
      try! dispatcher.foreground.sync {
        log.note("sync \(dispatcher.isForeground) \(dispatcher.background.isCurrent)")
      }
    }

    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["before", "sync true false"])
    try dispatcher.finish()
  }

  @Test("on its own queue would wait for itself, and says so with the chain", arguments: 0..<4)
  func itself(place: Int) throws {
    let dispatcher = RecordingDispatcher()
    let refusal = Slot<WaitRefusal>()
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: place == 2 ? 5 : 1)
    let queue = [dispatcher.foreground, dispatcher.background, store, store.barrier][place]
    queue.async(label: "waits") {
      refusal.value = waitRefusal { try queue.sync { log.note("ran") } }
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(log.all.isEmpty)
    #expect(chain.count == 1)
    #expect(chain.first?.waiter.contains("\"waits\"") == true)
    #expect(chain.first?.waiterQueue == queue.label)
    #expect(chain.first?.waitsFor == "its turn on \(queue.label)")
    #expect(dispatcher.pendingTasks.isEmpty)
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("in a circle of two queues is refused with both links")
  func circle() throws {
    let dispatcher = RecordingDispatcher()
    let refusal = Slot<WaitRefusal>()
    let one = dispatcher.makeQueue(label: "one", width: 1)
    let two = dispatcher.makeQueue(label: "two", width: 1)
    two.async(label: "inner") {
      do { try one.sync {} } catch { refusal.value = error as? WaitRefusal }
    }
    one.async(label: "outer") { try! two.sync {} }

    try dispatcher.runTask(labeled: "outer")

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.map(\.waiterQueue) == ["two", "one"])
    #expect(chain.map(\.waitsFor) == ["its turn on one", "its turn on two"])
    #expect(dispatcher.hasRun("inner") && dispatcher.hasRun("outer"))
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("of the loop on a worker that waits for the loop is refused")
  func loopAndWorker() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let refusal = Slot<WaitRefusal>()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store.async(label: "worker") {
      do { try dispatcher.foreground.sync {} } catch { refusal.value = error as? WaitRefusal }
    }
    dispatcher.foreground.async(label: "loop") { try! store.sync {} }

    try dispatcher.runNextForegroundTask()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.map(\.waiterQueue) == ["store", "foreground"])
    try dispatcher.finish()
  }

  @Test("that threads could order and one thread cannot has an error of its own")
  func cannotBeOrdered() throws {
    let dispatcher = RecordingDispatcher(.init(width: 3))
    let refusal = Slot<WaitRefusal>()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    // On threads "inner" waits for the end of "outer", which waits for a task that the worker of "third" runs
    // next.
    store.async(label: "outer") {
      dispatcher.background.async(label: "inner") {
        refusal.value = waitRefusal { try store.sync {} }
      }
      dispatcher.background.async(label: "third") {}
      _ = try? dispatcher.background.submit(label: "last") {}.wait()
    }

    try dispatcher.runUntilIdle()

    guard case .cannotBeOrdered(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.map(\.waiterQueue) == ["background", "store"])
    #expect(dispatcher.ledger.balances)
    try dispatcher.finish()
  }

  @Test("of the task that a body of that queue waits for is refused, whatever else could run")
  func awaited() throws {
    let dispatcher = RecordingDispatcher(.init(width: 3))
    let refusal = Slot<WaitRefusal>()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store.async(label: "outer") {
      let inner = dispatcher.background.submit(label: "inner") {
        refusal.value = waitRefusal { try store.sync {} }
      }
      dispatcher.background.async(label: "third") {}
      _ = try? inner.wait()
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.map(\.waiterQueue) == ["background", "store"])
    try dispatcher.finish()
  }

  @Test(
    "that a worker waits in, for want of another, is refused where its own body stands in the way")
  func helped() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let refusal = Slot<WaitRefusal>()
    let ran = Slot<Bool>()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    let wide = dispatcher.makeQueue(label: "wide", width: 2)
    // The only worker runs "inner" while it waits. It could not go back to "outer" before "inner" has ended.
    store.async(label: "outer") {
      wide.async(label: "inner") { refusal.value = waitRefusal { try store.sync {} } }
      try! wide.sync { ran.value = true }
    }

    try dispatcher.runTask(labeled: "outer")

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.map(\.waiterQueue) == ["wide", "store"])
    #expect(ran.value == true)
    try dispatcher.finish()
  }

  @Test(
    "that a worker waits in, for want of another, goes on beside its own body where that has room")
  func besideTheHelper() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let ran = Slot<Bool>()
    let store = dispatcher.makeQueue(label: "store", width: 2)
    let other = dispatcher.makeQueue(label: "other", width: 1)
    store.async(label: "outer") {
      other.async(label: "inner") { try! store.sync { ran.value = true } }
      try! other.sync {}
    }

    try dispatcher.runTask(labeled: "outer")

    #expect(ran.value == true)
    try dispatcher.finish()
  }

  @Test("that was refused lets the queue go on")
  func goesOn() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store { _ = try? store.sync {} }
    store.async(label: "next") {}

    try dispatcher.runUntilIdle()

    #expect(dispatcher.hasRun("next"))
    try dispatcher.finish()
  }

  @Test("is possible again once the body that was in the way has ended")
  func again() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.foreground {
      for round in 1...3 { try! store.sync { log.note("\(round)") } }
    }

    try dispatcher.runUntilIdle()

    #expect(log.all == ["1", "2", "3"])
    try dispatcher.finish()
  }
}
