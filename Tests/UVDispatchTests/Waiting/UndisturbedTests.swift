import TaskDispatchTesting
import TestSupport
import Testing

@testable import TaskDispatch
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
      dispatcher.waitUntilAThreadWaits()
      let known = try #require(thread.value)
      #expect(known.waitUntilItSleeps())
      let before = known.switches

      let ended = Latch()
      for number in 0..<200 {
        dispatcher.background { if number == 199 { ended.open() } }
        dispatcher.background.async(label: "\(number)") {}
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
        view.async(group: group) {}
        let waiter = OtherThread { _ = try? group.wait() }
        dispatcher.waitUntilAThreadWaits()
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
      dispatcher.waitUntilAThreadWaits()

      dispatcher.engine.lock()
      let leaver = OtherThread { group.leaveAsMember().emptied?.tell() }
      // The leaving thread reports that the group is empty only when it gets the lock.
      while group.count > 0 {}
      group.enter()
      dispatcher.engine.unlock()

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

      #expect(observers(of: group, "state", "wakers") == 1)
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
      // Submitted first: otherwise the other body might wait before this one has come, and be refused at once.
      dispatcher.background {
        dispatcher.waitUntil { $0.running.all.contains { $0.isBlocked } }
        // The view may be resumed, so this wait is not refused itself.
        try? held.sync {}
      }
      dispatcher.foreground {
        let behind = dispatcher.foreground.submit {}
        do { _ = try behind.wait() } catch { refused.open() }
      }

      #expect(refused.wait(patience))
      held.resume()
      dispatcher.end()
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
  /// Looks again and again, since no event tells of that moment.
  fileprivate func waitUntilAThreadWaits() {
    while true {
      engine.lock()
      let isAwaited = !engine.core.blocked.isEmpty
      engine.unlock()
      if isAwaited { return }
    }
  }
}
