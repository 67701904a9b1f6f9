import Synchronization
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A loop that looks for tasks before it sleeps")
  struct LoopSearchTests {
    /// Longer than any test waits: an event that does not end a spin comes too late.
    private static let anHour: Int64 = 3_600_000_000_000

    /// A dispatcher whose loop may spin for longer than any test waits, and has begun to.
    private func searching(
      overflow: Overflow = .unbounded, tasks: Int = 512
    ) throws -> UVDispatcher {
      // The time budget of an iteration does not end the spin either.
      let dispatcher = try UVDispatcher(
        .init(overflow: overflow, loopBudget: .init(tasks: tasks, time: .seconds(3600))))
      dispatcher.engine.withCore {
        // The loop does not leave its processor to other threads, although it may share it with this one.
        $0.loop.spinLimit = SpinLimit(length: 2 * Self.anHour, leftAt: .max)
      }
      try dispatcher.start()
      dispatcher.waitUntil { $0.loop.state == .spinning }
      return dispatcher
    }

    /// A dispatcher whose loop sleeps.
    private func sleeping() throws -> UVDispatcher {
      let dispatcher = try UVDispatcher(.init(loopBudget: .init(time: .seconds(3_600))))
      try dispatcher.start()
      dispatcher.waitUntil { $0.loopThread.isClaimed && $0.loop.mustBeTold }
      return dispatcher
    }

    @Test("need not be woken for what is posted")
    func posts() throws {
      let dispatcher = try searching()
      var lastWoken: Int64?
      for _ in 0..<3 {
        let ran = Latch()
        dispatcher.waitUntil { $0.loop.state == .spinning }

        dispatcher.foreground { ran.open() }

        #expect(ran.wait(patience))
        // Before the first post no consumer was notified, so that post notifies one. The later posts need not.
        let woken = dispatcher.engine.withCore {
          $0.doors.hints.wakeForPosts
        }
        #expect(woken != nil && woken == lastWoken ?? woken)
        lastWoken = woken
      }
      dispatcher.end()
    }

    @Test("is told of what comes in by hand")
    func byHand() throws {
      for overflow in [Overflow.unbounded, .reject(limit: 100)] {
        let dispatcher = try searching(overflow: overflow)
        let ran = Latch(4)

        dispatcher.foreground.submit { ran.open() }
        dispatcher.waitUntil { $0.loop.state == .spinning }
        dispatcher.foreground.after(.zero) { ran.open() }
        dispatcher.waitUntil { $0.loop.state == .spinning }
        try dispatcher.foreground.sync { ran.open() }
        dispatcher.waitUntil { $0.loop.state == .spinning }
        Task(executorPreference: dispatcher.foreground.executor) { ran.open() }

        #expect(ran.wait(patience))
        dispatcher.end()
      }
    }

    @Test("sleeps if a timer is due before it would have looked")
    func timers() throws {
      let dispatcher = try searching()
      let ran = Latch()

      dispatcher.foreground.after(.milliseconds(1)) { ran.open() }

      #expect(ran.wait(patience))
      dispatcher.end()
    }

    @Test("does not when it is to be left: runUntilIdle() returns, and a shutdown ends")
    func leaving() throws {
      let dispatcher = try UVDispatcher()
      let ran = Box(0)
      dispatcher.engine.withCore { $0.loop.spinLimit = SpinLimit(length: 2 * Self.anHour) }
      dispatcher.foreground { ran.increment() }

      dispatcher.runUntilIdle()
      #expect(ran.value == 1)

      dispatcher.foreground {
        ran.increment()
        dispatcher.beginShutdown()
      }
      #expect(dispatcher.run().ledger.balances)
      #expect(ran.value == 2)
    }

    @Test("looks for no longer than its iteration may take")
    func budget() throws {
      let dispatcher = try searching(tasks: 2)
      let (pipe, ran) = (Pipe(), Latch())
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
        pipe.read()
        ran.open()
      }
      dispatcher.waitUntil { $0.loop.state == .spinning }
      pipe.write()

      // Each post ends a spin, and two of them end the iteration.
      while !ran.isOpen {
        let posted = Latch()
        dispatcher.foreground { posted.open() }
        guard posted.wait(patience) else { break }
      }

      #expect(ran.isOpen)
      dispatcher.end()
    }

    @Test("learns that it should have from what is posted as soon as it sleeps")
    func learnsFromPosts() throws {
      let dispatcher = try sleeping()
      let ran = Latch()
      dispatcher.engine.withCore { $0.loop.spinLimit.noteInVain(since: $0.now + Self.anHour) }

      dispatcher.foreground { ran.open() }

      #expect(ran.wait(patience))
      dispatcher.engine.withCore { core in
        #expect(core.loop.spinLimit.length == SpinLimit.longest)
        #expect(core.doors.hints.wakeForPosts == nil)
      }
      dispatcher.end()
    }

    @Test("learns it from what comes in by hand, too")
    func learnsByHand() throws {
      let dispatcher = try sleeping()
      dispatcher.engine.withCore { $0.loop.spinLimit.noteInVain(since: $0.now + Self.anHour) }

      try dispatcher.foreground.sync {}

      #expect(dispatcher.engine.withCore { $0.loop.spinLimit.length } == SpinLimit.longest)
      dispatcher.end()
    }

    @Test("learns by when it was woken, not by when it has come", arguments: [false, true])
    func learnsByTime(wouldHaveHelped: Bool) throws {
      let length = try lengthAfterTurn { core in
        let slept = core.now + Self.anHour
        core.loop.spinLimit = SpinLimit(length: 4, leftAt: .max)
        core.loop.spinLimit.noteInVain(since: slept)
        core.doors.hints.noteWakeForPosts(
          at: wouldHaveHelped ? slept + SpinLimit.longest - 1 : slept + SpinLimit.longest)
      }

      #expect(length == (wouldHaveHelped ? SpinLimit.longest : 2))
    }

    @Test("learns that it need not from an iteration that no post needs, and looks in vain")
    func learnsFromOthers() throws {
      let length = try lengthAfterTurn { $0.loop.spinLimit = SpinLimit(length: 4, leftAt: .max) }

      #expect(length == 2)
    }

    /// The spin limit of the loop after an iteration for a descriptor, in which it has spun in vain.
    private func lengthAfterTurn(_ prepare: (Core) -> Void) throws -> Int64 {
      let dispatcher = try sleeping()
      let (pipe, ran) = (Pipe(), Latch())
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
        pipe.read()
        ran.open()
      }
      dispatcher.waitUntil { $0.loop.state == .asleep }
      dispatcher.engine.withCore(prepare)

      pipe.write()

      #expect(ran.wait(patience))
      dispatcher.waitUntil { $0.loop.state == .asleep }
      let learned = dispatcher.engine.withCore { $0.loop.spinLimit }
      #expect(learned.vainSince > .min && learned.vainSince < Self.anHour)
      dispatcher.end()
      return learned.length
    }
  }
}
