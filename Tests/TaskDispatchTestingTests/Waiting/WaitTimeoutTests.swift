import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@Suite("A blocking wait for a task, with a time-out,")
struct WaitTimeoutTests {
  @Test("moves virtual time to its end, and leaves the task untouched")
  func timeout() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit {}

    guard case .timedOut = waitRefusal({ try handle.wait(timeout: .seconds(3)) }) else { return }

    #expect(dispatcher.now.sinceStart == .seconds(3))
    #expect(handle.outcomeIfFinished == nil)
    disk.resume()
    #expect(try handle.wait(timeout: .zero) == .completed)
    #expect(dispatcher.now.sinceStart == .seconds(3))
    try dispatcher.finish()
  }

  @Test("goes from deadline to deadline, and no further than needed")
  func timers() throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit { dispatcher.now }
    dispatcher.foreground.after(.seconds(1), label: "tick") {}
    dispatcher.foreground.after(.seconds(2)) { disk.resume() }

    #expect(try handle.wait(timeout: .seconds(5)) == .completed)

    #expect(dispatcher.now.sinceStart == .seconds(2))
    #expect(dispatcher.hasRun("tick"))
    try dispatcher.finish()
  }

  @Test("of nothing, or less, moves no time", arguments: [0, -1])
  func noTimeout(seconds: Int) throws {
    let dispatcher = RecordingDispatcher()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit {}

    guard case .timedOut = waitRefusal({ try handle.wait(timeout: .seconds(seconds)) }) else {
      return
    }

    #expect(dispatcher.now == .start)
    handle.cancel()
    try dispatcher.finish()
  }

  @Test("from a foreground body lets no timer fire: the loop is waiting")
  func noTimersDuringWait() throws {
    let dispatcher = RecordingDispatcher()
    let log = Log()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    disk.suspend()
    let handle = disk.submit {}
    dispatcher.foreground.after(.seconds(1)) { log.note("timer") }
    dispatcher.foreground {
      do { try handle.wait(timeout: .seconds(3)) } catch { log.note("\(error)") }
    }

    try dispatcher.runNextForegroundTask()

    #expect(log.all == ["\(WaitRefusal.timedOut)"])
    try dispatcher.runUntilIdle()
    #expect(log.all.last == "timer")
    handle.cancel()
    try dispatcher.finish()
  }

  @Test("times out although a body skips beyond the time-out during the wait")
  func skipsBeyond() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    group.enter()
    dispatcher.background.async(group: group) {}
    dispatcher.foreground { try? dispatcher.skipTime(by: .seconds(5)) }

    guard case .timedOut = waitRefusal({ try group.wait(timeout: .seconds(1)) }) else { return }

    #expect(dispatcher.now.sinceStart == .seconds(5))
    group.leave()
    try dispatcher.finish()
  }
}
