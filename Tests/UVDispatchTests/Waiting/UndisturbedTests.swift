import Testing

@testable import TaskDispatch
@testable import TaskDispatchTesting
@testable import UVDispatch

extension OnePool {
  @Suite("A thread that waits, outside of all bodies,")
  struct UndisturbedTests {
    private enum Target: CaseIterable { case item, group }

    @Test("sleeps while what it does not wait for comes and goes", arguments: Target.allCases)
    private func sleeps(target: Target) throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let group = WorkGroup()
      let handle = view.submit(group: group) {}
      let thread = Box<KernelThread?>(nil)
      let waiter = OtherThread {
        thread.value = .current
        _ = target == .item ? (try? handle.wait()) != nil : (try? group.wait()) != nil
      }
      dispatcher.waitUntilSomebodyWaits()
      let known = try #require(thread.value)
      #expect(known.waitUntilItSleeps())
      let before = known.switches

      let ended = Latch()
      for number in 0..<200 {
        dispatcher.background { if number == 199 { ended.open() } }
        dispatcher.background(label: "\(number)") {}
      }
      #expect(ended.wait(patience))

      #expect(known.switches == before)
      view.resume()
      #expect(waiter.join())
      dispatcher.runUntilIdle()
    }

    @Test("is woken each time that the group is empty")
    func eachTime() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      let group = WorkGroup()
      for _ in 0..<3 {
        view.suspend()
        view(group: group) {}
        let waiter = OtherThread { _ = try? group.wait() }
        dispatcher.waitUntilSomebodyWaits()
        view.resume()
        #expect(waiter.join())
      }
      dispatcher.runUntilIdle()
    }

    @Test("goes on when the group was empty, although it has been entered again before it looked")
    func enteredAgain() throws {
      let dispatcher = try UVDispatcher()
      let group = WorkGroup()
      group.enter(for: dispatcher)
      let waiter = OtherThread { _ = try? group.wait() }
      dispatcher.waitUntilSomebodyWaits()

      dispatcher.lock()
      let leaver = OtherThread { group.leaveAsMember().emptied?.tell() }
      // It tells of that when the lock is free.
      while group.count > 0 {}
      group.enter()
      dispatcher.unlock()

      #expect(leaver.join())
      #expect(waiter.join())
      group.leave()
    }

    @Test("and gives up again and again leaves nothing behind at what it waits for")
    func timedOut() throws {
      let dispatcher = try UVDispatcher()
      let group = WorkGroup()
      let handle = dispatcher.foreground.submit(group: group) {}

      for _ in 0..<20 {
        #expect(throws: WaitRefusal.self) { _ = try handle.wait(timeout: .zero) }
        #expect(throws: WaitRefusal.self) { try group.wait(timeout: .zero) }
      }

      #expect(observers(of: group, "state", "monitors") == 1)
      let item = handle.item
      #expect(ItemLock.withLock(of: item) { $0[ObjectIdentifier(item)] } == nil)
      dispatcher.runUntilIdle()
    }
  }

  @Suite("A body that waits")
  struct LastToGoOnTests {
    @Test("looks when the last other that could go on begins to wait as well")
    func lastOther() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      try dispatcher.start()
      let held = dispatcher.makeQueue(label: "held", width: 1)
      held.suspend()
      let refused = Latch()
      dispatcher.foreground {
        let behind = dispatcher.foreground.submit {}
        do { _ = try behind.wait() } catch { refused.open() }
      }
      dispatcher.background {
        dispatcher.waitUntil { $0.running.contains { $0.isBlocked } }
        // Its turn may come, so it is not refused itself.
        try? held.sync {}
      }

      #expect(refused.wait(patience))
      held.resume()
      dispatcher.end()
    }
  }

  /// What a section changes that ends by waiting.
  @Suite("A thread that looks at each change")
  struct LooksAtAllTests {
    @Test("looks at what somebody has done who begins to wait, and has no body")
    func beginsToWait() throws {
      let dispatcher = try UVDispatcher()
      let looker = WatchedThread {
        dispatcher.waitUntil { $0.blocked.admitted == 1 }
        dispatcher.withCore { core in
          core.blocked.admitted = 0
          core.blocked.mustCheck = true
        }
      }
      #expect(looker.waitUntilItSleeps())
      let core = dispatcher.lock()
      core.blocked.admitted = 1

      let end = core.instant.advanced(by: patience)
      #expect(!dispatcher.beginWaiting(nil, for: nil, mayTimeOut: true))
      while core.blocked.admitted == 1, core.instant < end { dispatcher.park(until: end) }
      let wasSeen = core.blocked.admitted == 0
      dispatcher.endWaiting(nil)
      dispatcher.unlock()

      #expect(wasSeen)
      #expect(looker.join())
    }
  }
}

private func observers(of object: AnyObject, _ path: String...) -> Int? {
  var found: Any = object
  for name in path {
    var mirror: Mirror? = Mirror(reflecting: found)
    var child: Any?
    while let known = mirror, child == nil {
      child = known.children.first { $0.label == name }?.value
      mirror = known.superclassMirror
    }
    guard let child else { return nil }
    found = child
  }
  return Mirror(reflecting: found).children.count
}

extension UVDispatcher {
  /// Looks again and again: nobody is told of that moment.
  fileprivate func waitUntilSomebodyWaits() {
    while true {
      lock()
      let isAwaited = monitor.isAwaited
      unlock()
      if isAwaited { return }
    }
  }
}

/// Bodies that wait look for deadlocks, of which nobody tells them.
@Suite("Those who wait have to look")
struct WaitersMustLookTests {
  private let bare = BareCore(width: 4)
  private var core: Core { bare.core }

  private func standing() { bare.running().beginWait(for: nil) }

  @Test("not while nobody stands, or one stands and another body runs")
  func somethingRuns() {
    #expect(!core.waitersMustLook)
    bare.running()
    #expect(!core.waitersMustLook)
    standing()
    #expect(!core.waitersMustLook)
    bare.running(on: .foreground)
    #expect(!core.waitersMustLook)
  }

  @Test("when one stands and nothing else runs")
  func nothingRuns() {
    standing()
    #expect(core.waitersMustLook)
    let other = bare.running()
    #expect(!core.waitersMustLook)
    core.finish(other, .completed)
    #expect(core.waitersMustLook)
  }

  @Test("when two stand, who may wait for each other, whatever runs")
  func two() {
    bare.running()
    standing()
    standing()
    #expect(core.waitersMustLook)
  }

  @Test("when a callback of libuv stands, as if it were a body")
  func callback() {
    core.blocked.loopWaitsInCallback = true
    #expect(core.waitersMustLook)
    bare.running()
    #expect(!core.waitersMustLook)
    standing()
    #expect(core.waitersMustLook)
  }

  @Test("when no body gets room any more, since the time to drain is over")
  func drained() {
    bare.running()
    core.beginShutdown(.init(drain: .seconds(3600)))
    core.blocked.mustCheck = false
    core.beginShutdown(.init(drain: .zero))
    #expect(core.waitersMustLook)
  }

  @Test("when there is room, and not when a task has left that took none")
  func room() {
    let bare = BareCore(overflow: .reject(limit: 1))
    bare.core.noteTaken(bare.caller(on: nil))
    #expect(!bare.core.waitersMustLook)
    bare.core.noteTaken(bare.task())
    #expect(bare.core.waitersMustLook)
  }

  @Test("when there is news, or somebody looks at all")
  func news() {
    core.blocked.mustCheck = true
    #expect(core.waitersMustLook)
    core.blocked.mustCheck = false
    core.blocked.checkingAlways = 1
    #expect(core.waitersMustLook)
  }
}
