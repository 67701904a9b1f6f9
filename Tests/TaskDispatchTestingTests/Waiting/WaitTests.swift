import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A blocking wait for a task")
struct WaitTests {
  private struct Torn: Error {}

  @Test("runs it and what must precede it, and nothing else")
  func runsWhatPrecedes() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    dispatcher.foreground.async(label: "foreground") {}
    dispatcher.background.async(label: "before") {}
    let handle = dispatcher.background.submit(label: "task") { 7 }
    dispatcher.background.async(label: "after") {}

    #expect(try handle.wait() == .completed)

    #expect(dispatcher.ran == ["before", "task"])
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("returns at once if it has ended, and says how", arguments: 0..<4)
  func ended(ending: Int) throws {
    let dispatcher = RecordingDispatcher(.init(overflow: .reject(limit: 1)))
    if ending == 3 { dispatcher.background {} }
    let handle = dispatcher.background.submit(timeToLive: ending == 2 ? .zero : nil) {
      if ending == 1 { throw Torn() }
    }
    if ending == 0 { handle.cancel() }
    if ending == 2 { try dispatcher.skipTime(by: .seconds(1)) }
    try dispatcher.runUntilIdle()

    let outcomes: [Outcome] = [
      .cancelled, .failed(Torn()), .expired, .refused(.limitReached),
    ]
    #expect(try handle.wait() == outcomes[ending])
    try dispatcher.finish()
  }

  @Test("of the foreground, from the test, runs what it needs")
  func foreground() throws {
    let dispatcher = RecordingDispatcher()
    dispatcher.foreground.async(label: "before") {}
    let handle = dispatcher.foreground.submit(label: "task") {}

    #expect(try handle.wait() == .completed)
    #expect(dispatcher.ran == ["before", "task"])
    try dispatcher.finish()
  }

  @Test("of the background, from a foreground body, runs it inside")
  func fromForegroundBody() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let handle = dispatcher.background.submit {
      log.note("task: foreground \(dispatcher.isForeground)")
    }
    dispatcher.foreground {
      log.note("\(try! handle.wait())")
    }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["task: foreground false", "completed"])
    try dispatcher.finish()
  }

  @Test(
    "that stands behind the waiting task itself is a deadlock, with the chain", arguments: 0..<3)
  func deadlock(place: Int) throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let refusal = Slot<WaitRefusal>()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let queue = [dispatcher.foreground, dispatcher.background, disk][place]
    queue.async(label: "waits") {
      let behind = queue.submit(label: "behind") {}
      do { try behind.wait() } catch { refusal.value = error as? WaitRefusal }
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.count == 1)
    #expect(chain.first?.waiterQueue == queue.label)
    #expect(chain.first?.waitsFor.contains("\"behind\"") == true)
    #expect(dispatcher.hasRun("behind"))
    try dispatcher.finish()
  }

  @Test("with a free worker beside the waiting one is no deadlock")
  func freeWorker() throws {
    let dispatcher = RecordingDispatcher(.init(width: 2))
    let log = Log()
    dispatcher.background {
      log.note("\(try! dispatcher.background.submit {}.wait())")
    }

    try dispatcher.runNextBackgroundTask()

    #expect(log.all == ["completed"])
    try dispatcher.finish()
  }

  @Test("by the task itself is a deadlock")
  func itself() throws {
    let dispatcher = RecordingDispatcher()
    let refusal = Slot<WaitRefusal>()
    let handle = Slot<TaskHandle<Void>>()
    handle.value = dispatcher.background.submit {
      do { try handle.value!.wait() } catch { refusal.value = error as? WaitRefusal }
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    try dispatcher.finish()
  }

  @Test("of a suspended queue says that nothing can end it, and moves nothing")
  func suspended() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit(label: "held") {}

    guard case .nothingCanEndIt(let reason) = waitRefusal({ try handle.wait() }) else { return }

    #expect(reason.contains("\"held\""))
    #expect(reason.contains("suspended"))
    #expect(dispatcher.now == .start)
    disk.resume()
    #expect(try handle.wait() == .completed)
    try dispatcher.finish()
  }
}
