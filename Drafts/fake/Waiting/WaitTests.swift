import TaskDispatch
import TaskDispatchTesting
import Testing

@Suite("Standing still for a task")
struct WaitTests {
  private struct Torn: Error {}

  @Test("runs it and what must precede it, and nothing else")
  func runsWhatPrecedes() throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    dispatcher.foreground(label: "foreground") {}
    dispatcher.background(label: "before") {}
    let handle = dispatcher.background.submit(label: "task") { 7 }
    dispatcher.background(label: "after") {}

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
    dispatcher.foreground(label: "before") {}
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

  @Test("that stands behind the waiting task itself is a deadlock, with the chain", arguments: 0..<3)
  func deadlock(place: Int) throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let refusal = Slot<WaitRefusal>()
    let disk = dispatcher.makeQueue(label: "disk", width: 1)
    let queue = [dispatcher.foreground, dispatcher.background, disk][place]
    queue(label: "waits") {
      let behind = queue.submit(label: "behind") {}
      do { try behind.wait() } catch { refusal.value = error }
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
      do { try handle.value!.wait() } catch { refusal.value = error }
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

  @Test("with a time-out moves virtual time to its end, and leaves the task untouched")
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

  @Test("with a time-out goes from deadline to deadline, and no further than needed")
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

  @Test("with a time-out of nothing, or less, moves no time", arguments: [0, -1])
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
  func noTimersMeanwhile() throws {
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

  @Test("times out although a body skips beyond the time-out meanwhile")
  func skipsBeyond() throws {
    let dispatcher = RecordingDispatcher()
    let group = WorkGroup()
    group.enter()
    dispatcher.background(group: group) {}
    dispatcher.foreground { try? dispatcher.skipTime(by: .seconds(5)) }

    guard case .timedOut = waitRefusal({ try group.wait(timeout: .seconds(1)) }) else { return }

    #expect(dispatcher.now.sinceStart == .seconds(5))
    group.leave()
    try dispatcher.finish()
  }
}

@Suite("Standing still for a group")
struct WaitForGroupTests {
  private let dispatcher = RecordingDispatcher()

  @Test("runs what is in it, on both lanes")
  func runs() throws {
    let group = WorkGroup()
    dispatcher.background(group: group) { dispatcher.foreground(group: group) {} }
    dispatcher.foreground(group: group) {}

    try group.wait(timeout: nil)

    #expect(group.count == 0)
    #expect(dispatcher.ledger.completed == 3)
    try dispatcher.finish()
  }

  @Test("that is empty returns at once, and runs nothing")
  func empty() throws {
    dispatcher.foreground(label: "other") {}

    try WorkGroup().wait(timeout: nil)

    #expect(!dispatcher.hasRun("other"))
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
  }

  @Test("that somebody entered by hand says how many are left in it")
  func byHand() throws {
    let group = WorkGroup()
    dispatcher.background(group: group) {}
    group.enter()
    dispatcher.foreground.after(.seconds(9), label: "timer") {}

    guard case .nothingCanEndIt(let reason) = waitRefusal({ try group.wait(timeout: nil) }) else {
      return
    }

    #expect(reason.contains("the group has 1 left in it"))
    #expect(reason.contains("9.0 seconds"), "the next deadline may be what is missing")
    #expect(dispatcher.now == .start)
    group.leave()
    try dispatcher.advanceToNextDeadline()
    try dispatcher.finish()
  }

  @Test("with a time-out moves time until it is empty")
  func timers() throws {
    let group = WorkGroup()
    dispatcher.background.after(.seconds(2), group: group) {}
    dispatcher.background.after(.seconds(4), group: group) {}

    try group.wait(timeout: .seconds(10))
    #expect(dispatcher.now.sinceStart == .seconds(4))

    dispatcher.background.after(.seconds(2), group: group) {}
    guard
      case .timedOut = waitRefusal({ try group.wait(timeout: .seconds(1)) })
    else { return }
    #expect(dispatcher.now.sinceStart == .seconds(5))
    try dispatcher.advanceToNextDeadline()
    try dispatcher.finish()
  }

  @Test("whose work stands behind the waiting task is a deadlock", arguments: [true, false])
  func deadlock(onForeground: Bool) throws {
    let dispatcher = RecordingDispatcher(.init(width: 1))
    let refusal = Slot<WaitRefusal>()
    let group = WorkGroup()
    let queue = onForeground ? dispatcher.foreground : dispatcher.background
    queue(label: "waits") {
      queue(group: group) {}
      do { try group.wait(timeout: nil) } catch { refusal.value = error }
    }

    try dispatcher.runUntilIdle()

    guard case .wouldDeadlock(let chain) = refusal.value else {
      Issue.record("\(refusal.value as Any)")
      return
    }
    #expect(chain.first?.waiter.contains("\"waits\"") == true)
    try dispatcher.finish()
  }

  @Test("that nobody of a dispatcher is in waits on the thread itself")
  func withoutDispatcher() throws {
    let group = WorkGroup()
    group.enter()

    guard case .timedOut = waitRefusal({ try group.wait(timeout: .zero) }) else { return }

    group.leave()
    try group.wait(timeout: nil)
  }
}
