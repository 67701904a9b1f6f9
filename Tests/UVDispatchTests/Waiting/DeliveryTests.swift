import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

/// Deferred callbacks run without the lock. Their end takes no lock either, unless a thread waits for it.
@Suite("A delivery")
struct DeliveryTests {
  private let core = BareCore().core

  private func isAwaited() -> Bool {
    core.doors.callbackCounts.begin()
    #expect(core.isDelivering)
    defer { #expect(!core.isDelivering) }
    return core.doors.callbackCounts.end()
  }

  @Test("is not awaited while the dispatcher goes on")
  func whileItGoesOn() { #expect(!isAwaited()) }

  @Test("is awaited by a loop that is to leave, until it has left")
  func byLeaver() {
    core.leaveWhenIdle(true)
    core.leaveWhenIdle(true)
    #expect(isAwaited())

    core.leaveWhenIdle(false)

    #expect(!isAwaited())
  }

  @Test("is awaited by a shutdown")
  func byShutdown() {
    core.beginShutdown(ShutdownPolicy(drain: .seconds(100)))

    #expect(isAwaited())
  }
}

extension OnePool {
  @Suite("The end of a delivery, of which no other thread tells")
  struct EndOfDeliveryTests {
    private let dispatcher: UVDispatcher
    private let gate = Latch()

    init() throws { dispatcher = try UVDispatcher() }

    @Test("comes after what an observer of a group holds has been released")
    func observerOfGroup() throws {
      let (view, group) = (dispatcher.makeQueue(label: "suspended", width: 1), WorkGroup())
      view.suspend()
      let deliveries = Box<Int?>(nil)
      let name = ObjectIdentifier(dispatcher)
      let handle = view.submit(group: group) {}
      group.whenEmpty(holding(Stone { deliveries.value = TaskContext.deliveries(for: name) }))
      #expect(deliveries.value == nil)

      #expect(handle.cancel() == .beforeStart)

      #expect(deliveries.value == 1)
      dispatcher.beginShutdown()
      _ = dispatcher.run()
    }

    @Test("that waits for a group which no dispatcher knows waits in its own")
    func unknownGroup() throws {
      let (group, unknown, hasWaited) = (WorkGroup(), WorkGroup(), Latch())
      unknown.enter()
      group.enter()
      group.whenEmpty {
        try? unknown.wait()
        hasWaited.open()
      }
      dispatcher.background.async(group: group) { group.leave() }
      dispatcher.waitUntil { core in
        core.blocked.threads.contains { thread in
          if case .group(let group) = thread.target { group === unknown } else { false }
        }
      }
      unknown.leave()
      #expect(hasWaited.wait(patience))
      dispatcher.beginShutdown()
      _ = dispatcher.run()
    }

    private func holding(_ stone: consuming Stone) -> @Sendable () -> Void {
      { [stone] in withExtendedLifetime(stone) {} }
    }

    /// A thread that cancels `handle`, and is blocked while it releases the body.
    private func cancelHeld() -> (handle: TaskHandle<Void>, canceller: WatchedThread) {
      let view = dispatcher.makeQueue(label: "suspended", width: 1)
      view.suspend()
      let (isHeld, gate) = (Latch(), gate)
      var stone: Stone? = Stone {
        isHeld.open()
        #expect(gate.wait(patience))
      }
      let handle = view.submit { [stone] in withExtendedLifetime(stone) {} }
      stone = nil
      let canceller = WatchedThread { handle.cancel() }
      #expect(isHeld.wait(patience))
      view.resume()
      return (handle, canceller)
    }

    @Test("is looked for by a body that waits, and only while it does")
    func waitingBody() {
      let view = dispatcher.makeQueue(label: "suspended", width: 1)
      view.suspend()
      let handle = view.submit {}
      let background = dispatcher.background
      let waiter = WatchedThread { try? background.sync { _ = try? handle.wait() } }
      #expect(waiter.waitUntilItSleeps())
      #expect(lookers == 1)

      view.resume()

      #expect(waiter.join())
      #expect(handle.outcomeIfFinished == .completed)
      #expect(lookers == 0)
    }

    private var lookers: Int {
      dispatcher.engine.withCore { $0.doors.callbackCounts.parties.load(ordering: .relaxed) }
    }

    @Test("is not waited for by a thread that waits for the outcome, which is known before it")
    func waiter() throws {
      let (handle, canceller) = cancelHeld()

      #expect(try handle.wait() == .cancelled)

      gate.open()
      #expect(canceller.join())
      #expect(
        dispatcher.engine.withCore { $0.doors.callbackCounts.parties.load(ordering: .relaxed) } == 0
      )
    }

    @Test("reaches a loop that is to leave when it is idle")
    func leaver() throws {
      let (_, canceller) = cancelHeld()
      let loop = WatchedThread { [dispatcher] in dispatcher.runUntilIdle() }
      #expect(loop.waitUntilItSleeps())

      gate.open()

      #expect(loop.join())
      #expect(canceller.join())
    }

    @Test("reaches a loop that is to end")
    func shutdown() throws {
      let (_, canceller) = cancelHeld()
      dispatcher.beginShutdown(.init(drain: .seconds(3_600)))
      let loop = WatchedThread { [dispatcher] in _ = dispatcher.run() }
      #expect(loop.waitUntilItSleeps())

      gate.open()

      #expect(loop.join())
      #expect(canceller.join())
    }

    private final class Stone: Sendable {
      private let fall: @Sendable () -> Void

      init(_ fall: @escaping @Sendable () -> Void) { self.fall = fall }

      deinit { fall() }
    }
  }
}
