import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("sync from the test")
struct SyncTests {
  private let dispatcher = RecordingDispatcher()

  @Test("runs the body before it returns, on this thread, and returns its value")
  func value() throws {
    let store = dispatcher.makeQueue(label: "store", width: 1)
    let thread = thisThread()

    let value = try store.sync { () -> Int in
      #expect(thisThread() == thread)
      #expect(store.isCurrent)
      return 7
    }

    #expect(value == 7)
    #expect(!store.isCurrent)
    #expect(dispatcher.ledger.completed == 1)
    try dispatcher.finish()
  }

  @Test("passes on what the body throws")
  func throwing() throws {
    struct Torn: Error {}
    let store = dispatcher.makeQueue(label: "store", width: 1)

    #expect(throws: Torn.self) { try store.sync { throw Torn() } }

    #expect(dispatcher.isIdle)
    try dispatcher.finish()
  }

  @Test("first runs what must precede it, and nothing of other queues")
  func predecessors() throws {
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.foreground { log.note("foreground") }
    store.async(priority: .high) { log.note("high") }
    store { log.note("before") }
    store.async(priority: .low) { log.note("low") }

    try store.sync { log.note("sync") }

    // The `sync` call waits in the medium band.
    #expect(log.all == ["high", "before", "sync"])
    try dispatcher.runUntilIdle()
    #expect(log.all.count == 5)
    try dispatcher.finish()
  }

  @Test("runs after the barriers that were submitted before it")
  func behindBarrier() throws {
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    store { log.note("read") }
    store.barrier { log.note("write") }

    try store.sync { log.note("sync") }

    #expect(log.all == ["read", "write", "sync"])
    try dispatcher.finish()
  }

  @Test("of a barrier waits for everything before it, started or not, and is alone")
  func barrier() throws {
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 3)
    store.async(priority: .lowest) { log.note("a") }
    store.async(label: "b") { log.note("b") }
    try dispatcher.runTask(labeled: "b")

    try store.barrier.sync {
      store { log.note("after") }
      log.note("alone: \(dispatcher.runnableTasks.isEmpty)")
    }

    #expect(log.all == ["b", "a", "alone: true"])
    try dispatcher.runUntilIdle()
    #expect(log.all.last == "after")
    try dispatcher.finish()
  }

  @Test("on a view takes no worker, and counts against the view's own width")
  func takesNoWorker() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let store = dispatcher.makeQueue(label: "store", width: 1)
    let seen = Slot<[PendingTask]>()
    dispatcher.background.async(label: "free") {}

    try store.sync {
      store.async(label: "waits") {}
      seen.value = dispatcher.pendingTasks
    }

    #expect(seen.value?.first { $0.task.label == "free" }?.obstacle == nil)
    #expect(
      seen.value?.first { $0.task.label == "waits" }?.obstacle
        == .widthReached(queue: "store", width: 1))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("on the background itself runs in the background's order")
  func onBackground() throws {
    dispatcher.background.async(label: "before") {}

    try dispatcher.background.sync { #expect(dispatcher.hasRun("before")) }

    #expect(dispatcher.background.isCurrent == false)
    try dispatcher.finish()
  }

  @Test("on the foreground runs the foreground's tasks before it")
  func onForeground() throws {
    dispatcher.foreground.async(label: "before") {}
    dispatcher.background.async(label: "other") {}

    try dispatcher.foreground.sync {
      #expect(dispatcher.isForeground)
      #expect(
        dispatcher.ran == ["before", "TaskDispatchTestingTests/SyncTests.swift:\(#line - 2)"])
    }

    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("may be nested over different queues, which are then all current")
  func nested() throws {
    let one = dispatcher.makeQueue(label: "one", width: 1)
    let two = dispatcher.makeQueue(label: "two", width: 1)

    let both = try one.sync { try two.sync { [one.isCurrent, two.isCurrent] } }

    #expect(both == [true, true])
    try dispatcher.finish()
  }

  @Test("makes this the current dispatcher for its body")
  func current() throws {
    let store = dispatcher.makeQueue(label: "store", width: 1)

    try store.sync { #expect(Dispatchers.current === dispatcher) }

    try dispatcher.finish()
  }

  @Test("on a suspended view is refused: nothing that the fake knows of can end it")
  func suspended() throws {
    let log = Log()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    store.suspend()
    store.async(label: "held") {}

    guard
      case .nothingCanEndIt(let reason) = waitRefusal({ try store.sync { log.note("ran") } })
    else { return }

    #expect(reason.contains("store is suspended"))
    #expect(log.all.isEmpty)
    #expect(dispatcher.pendingTasks.labels == ["held"])
    #expect(dispatcher.ledger.balances)
    #expect(dispatcher.ledger.waiting == 1)
    store.resume()
    try store.sync { log.note("ran") }
    #expect(log.all == ["ran"])
    try dispatcher.finish()
  }

  @Test("while another thread steps is refused, and leaves nothing in the queue")
  func otherThreadSteps() throws {
    let refusal = Slot<WaitRefusal>()
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.foreground {
      onAnotherThread {
        do { try store.sync {} } catch { refusal.value = error as? WaitRefusal }
      }
    }

    try dispatcher.runNextForegroundTask()

    guard case .nothingCanEndIt(let reason) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(reason.contains("is being stepped on another thread"))
    #expect(dispatcher.ledger.waiting == 0)
    #expect(dispatcher.ledger.balances)
    store.async(label: "still works") {}
    try dispatcher.runUntilIdle()
    #expect(dispatcher.hasRun("still works"))
    try dispatcher.finish()
  }

  @Test("once shutdown has begun is refused as such")
  func shutDown() throws {
    let store = dispatcher.makeQueue(label: "store", width: 1)
    dispatcher.beginShutdown()

    guard case .refused(.shutDown) = waitRefusal({ try store.sync {} }) else { return }
    try dispatcher.finish()
  }

  @Test("on a suspended queue lets any other task run: one of them may resume the queue")
  func resumedByAnother() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    dispatcher.background {
      dispatcher.foreground { disk.resume() }
      try! disk.sync { log.note("synced") }
    }

    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["synced"])
    try dispatcher.finish()
  }
}
