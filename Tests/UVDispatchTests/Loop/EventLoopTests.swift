import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

extension OnePool {
  /// The timeout that libuv reports: for how many milliseconds it would wait in the next round.
  @Suite("The timer of a loop")
  struct EventLoopTests {
    @Test(
      "is set for whole milliseconds, rounded up, and for one at least",
      arguments: [
        (-5, 1), (0, 1), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (2_500_000, 3),
      ] as [(Int64, CInt)])
    func rounding(nanoseconds: Int64, milliseconds: CInt) throws {
      let loop = try EventLoop.thatHasPolled()

      loop.setTimer(nanoseconds)

      #expect(loop.timeout == milliseconds)
    }

    @Test("counts from the moment in which it is set, however long the iteration has taken")
    func longTurn() throws {
      let loop = try EventLoop.thatHasPolled()
      let before = loop.time
      let end = monotonicNanoseconds() + 5_000_000
      while monotonicNanoseconds() < end {}

      loop.setTimer(1_000_000)

      #expect(loop.time >= before + 4)
    }

    @Test("is stopped when there is nothing to wait for")
    func stopped() throws {
      let loop = try EventLoop.thatHasPolled()
      loop.setTimer(3_600_000_000_000)
      #expect(loop.timeout > 0)

      loop.setTimer(nil)

      #expect(loop.timeout == -1)
    }

    @Test("does not matter while the loop comes round at once")
    func comesRound() throws {
      let loop = try EventLoop.thatHasPolled()
      loop.setTimer(3_600_000_000_000)

      loop.comesRoundAgain(true)
      #expect(loop.timeout == 0)
      loop.comesRoundAgain(false)

      #expect(loop.timeout > 0)
    }

    @Test("of a dispatcher is stopped once its last timer was cancelled")
    func cancelled() throws {
      let dispatcher = try UVDispatcher()
      let timer = dispatcher.foreground.after(.seconds(3600)) {}
      dispatcher.runUntilIdle()
      #expect(dispatcher.engine.loop.timeout > 0)

      timer.cancel()
      dispatcher.foreground {}
      dispatcher.runUntilIdle()

      #expect(dispatcher.engine.loop.timeout == -1)
    }

    @Test("of a dispatcher is set for the last moment that serves two timers at once")
    func tolerance() throws {
      let dispatcher = try UVDispatcher()
      dispatcher.foreground.after(.seconds(1000), tolerance: .seconds(1000)) {}
      dispatcher.foreground.after(.seconds(1500)) {}

      let next = dispatcher.engine.withCore { $0.nextDeadline }

      #expect(next >= 1_500_000_000_000)
    }

    @Test("of a dispatcher does not wake it in the iteration that it brings")
    func ownTurn() throws {
      let dispatcher = try UVDispatcher()
      let isInTurn = Box([Bool]())
      for delay in [1, 2] {
        dispatcher.foreground.after(.milliseconds(delay)) {
          isInTurn.change { $0.append(dispatcher.engine.withCore { !$0.loop.mustBeTold }) }
          if delay == 2 { dispatcher.beginShutdown() }
        }
      }

      dispatcher.run()

      #expect(isInTurn.value == [true, true])
    }
  }
}

extension OnePool {
  @Suite("A loop that was woken")
  struct WokenLoopTests {
    @Test("has one iteration, however often that was, and waits again")
    func oneTurn() throws {
      let loop = try EventLoop()
      let turns = Box(0)
      loop.onIteration = { [unowned loop] in
        turns.increment()
        loop.stop()
      }
      for wakes in 1...3 {
        for _ in 0..<wakes { loop.wake() }
        loop.run()
        #expect(turns.value == 1)
        // This makes an iteration of its own. A wake-up that was left would bring another one.
        loop.comesRoundAgain(true)
        loop.run()
        loop.comesRoundAgain(false)
        #expect(turns.value == 2)
        turns.value = 0
      }
    }
  }
}

extension EventLoop {
  /// Libuv says nothing about a loop whose descriptors it has not polled yet.
  fileprivate static func thatHasPolled() throws -> EventLoop {
    let loop = try EventLoop()
    loop.onIteration = { [unowned loop] in loop.stop() }
    loop.wake()
    loop.run()
    return loop
  }

  fileprivate var timeout: CInt {
    unsafe withLoop { loop in
      unsafe function(
        "uv_backend_timeout", (@convention(c) (UnsafeRawPointer) -> CInt).self)(loop)
    }
  }

  /// The time according to the loop, in milliseconds.
  fileprivate var time: UInt64 {
    unsafe withLoop { loop in
      unsafe function("uv_now", (@convention(c) (UnsafeRawPointer) -> UInt64).self)(loop)
    }
  }
}

private func function<Signature>(_ name: String, _: Signature.Type) -> Signature {
  unsafe unsafeBitCast(dlsym(nil, name)!, to: Signature.self)
}
