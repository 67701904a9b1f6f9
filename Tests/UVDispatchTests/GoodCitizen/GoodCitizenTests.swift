import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Beside other users of libuv's pool")
  struct GoodCitizenTests {
    @Test("a file's status comes back soon while the queues are never empty")
    func statBehindEndlessWork() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 8)
      let meter = Meter()
      let isOver = Box(false)
      @Sendable func again(_ queue: TaskQueue) {
        guard !isOver.value else { return }
        queue { again(queue) }
        meter.count { dispatcher.spend(.milliseconds(1)) }
      }
      for _ in 0..<8 {
        dispatcher.background { again(dispatcher.background) }
        view { again(view) }
      }

      let slowest = dispatcher.slowestStat(of: 20) { isOver.value = true }

      // A few time slices, and what two cores make of them. If worker runs did not end, it would be for ever.
      #expect(slowest < .seconds(5))
      #expect(meter.most <= dispatcher.effectiveBackgroundWidth)
    }

    @Test("a file's status comes back at once while every body is blocked")
    func statBehindBlockedWork() throws {
      let dispatcher = try UVDispatcher()
      let gate = Latch()
      let started = Latch(dispatcher.effectiveBackgroundWidth)
      for _ in 0..<100 {
        dispatcher.background {
          started.open()
          gate.hold(patience)
        }
      }
      #expect(started.wait(patience))

      let slowest = dispatcher.slowestStat(of: 5) { gate.open() }

      #expect(slowest < .seconds(5))
    }

    @Test("a pool of one thread is shared by quanta", arguments: [1, 2])
    func smallPool(threads: Int) async {
      await #expect(processExitsWith: .success) { [threads] in
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "\(threads)", 1)
          let dispatcher = try UVDispatcher()
          let isOver = Box(false)
          @Sendable func again() {
            guard !isOver.value else { return }
            dispatcher.background { again() }
            dispatcher.spend(.milliseconds(1))
          }
          for _ in 0..<10 { dispatcher.background { again() } }
          let slowest = dispatcher.slowestStat(of: 5) { isOver.value = true }
          #expect(slowest < .seconds(5))
        }
      }
    }

    @Test("a file's status comes back at once while the bodies of two dispatchers are blocked")
    func statBehindTwoDispatchers() throws {
      let (first, second) = (try UVDispatcher(), try UVDispatcher())
      let gate = Latch()
      let started = Latch(first.effectiveBackgroundWidth)
      for dispatcher in [first, second] {
        for _ in 0..<10 {
          dispatcher.background {
            started.open()
            gate.hold(patience)
          }
        }
      }
      #expect(started.wait(patience))
      let running = [first, second].map { $0.engine.withCore { $0.running.count } }
      #expect(running.reduce(0, +) == first.effectiveBackgroundWidth)

      let slowest = first.slowestStat(of: 5) { gate.open() }

      #expect(slowest < .seconds(5))
      first.runUntilIdle()
      second.runUntilIdle()
      #expect(second.ledger.completed == 10)
    }

    @Test(
      "a thread that waits for the foreground has no body of the background take the last thread",
      arguments: [false, true])
    func statBehindAWaitForTheLoop(inSync: Bool) throws {
      let (first, second) = (try UVDispatcher(), try UVDispatcher())
      let (gate, began) = (Latch(), Latch())
      let started = Latch(first.effectiveBackgroundWidth)
      for _ in 0..<first.effectiveBackgroundWidth {
        first.background {
          started.open()
          gate.hold(patience)
        }
      }
      #expect(started.wait(patience))
      second.background {
        began.open()
        gate.hold(patience)
      }
      let foreground = second.foreground
      let waiter = WatchedThread {
        if inSync { try? foreground.sync {} } else { _ = try? foreground.submit {}.wait() }
      }
      second.waitUntilBlocked()

      let slowest = first.slowestStat(of: 5) {
        #expect(!began.isOpen)
        gate.open()
      }

      #expect(slowest < .seconds(5))
      second.runUntilIdle()
      #expect(waiter.join())
      first.runUntilIdle()
    }

    @Test("the bodies of one dispatcher leave a thread to another that has used the pool")
    func longBodiesBesideAnother() throws {
      let (first, second) = (try UVDispatcher(), try UVDispatcher())
      let gate = Latch()
      _ = try second.background.submit {}.wait()
      second.waitUntil { $0.workers.searching == 0 && $0.running.isEmpty }
      let started = Latch(first.effectiveBackgroundWidth - 1)
      for _ in 0..<10 {
        first.background {
          started.open()
          gate.hold(patience)
        }
      }
      #expect(started.wait(patience))

      // The test waits for a latch: a dispatcher that it waited in would get libuv's spare thread.
      let ran = Latch()
      second.background { ran.open() }

      #expect(ran.wait(patience))
      #expect(first.engine.withCore { $0.running.count } == first.effectiveBackgroundWidth - 1)
      gate.open()
      first.runUntilIdle()
      #expect(first.ledger.completed == 10)
    }

    @Test("in a pool of eight, they leave one to each of two others")
    func longBodiesBesideTwoOthers() async {
      await #expect(processExitsWith: .success) {
        try blocking {
          unsafe setenv("UV_THREADPOOL_SIZE", "8", 1)
          let (busy, gate) = (try UVDispatcher(), Latch())
          let others = [try UVDispatcher(), try UVDispatcher()]
          for other in others {
            _ = try other.background.submit {}.wait()
            other.waitUntil { $0.workers.searching == 0 && $0.running.isEmpty }
          }
          for _ in 0..<10 { busy.background { gate.hold(patience) } }
          busy.waitUntil { $0.workers.searching == 0 && $0.running.count >= 5 }
          let ran = Latch(2)
          for other in others {
            other.background {
              ran.open()
              gate.hold(patience)
            }
          }

          #expect(ran.wait(patience))

          #expect(busy.engine.withCore { $0.running.count } == 5)
          gate.open()
          for dispatcher in [busy] + others { dispatcher.runUntilIdle() }
          #expect(busy.ledger.completed == 10)
        }
      }
    }

    @Test("bodies that wait for another dispatcher do not keep it from the pool")
    func waitingForAnother() throws {
      let (first, second) = (try UVDispatcher(), try UVDispatcher())
      let started = Latch(first.effectiveBackgroundWidth)
      let handles = (0..<first.effectiveBackgroundWidth).map { _ in
        first.background.submit {
          started.open()
          started.hold(patience)
          try second.background.submit {}.wait(timeout: patience)
        }
      }
      for handle in handles { #expect(try handle.wait(timeout: patience) == .completed) }
      first.runUntilIdle()
      second.runUntilIdle()
    }

    @Test(
      "a dispatcher that finds no thread has one once the other has ended a body, or is never blocked",
      arguments: [false, true])
    func findsNoThread(goesOn: Bool) throws {
      let (first, second) = (try UVDispatcher(), try UVDispatcher())
      let width = first.effectiveBackgroundWidth
      let (started, mayEnd, ran, isOver) = (Latch(width), Latch(), Latch(), Flag())
      @Sendable func again() {
        if !isOver.isRaised { first.background { again() } }
      }
      for _ in 0..<width {
        first.background {
          started.open()
          mayEnd.hold(patience)
          if goesOn { again() }
        }
      }
      #expect(started.wait(patience))
      second.background { ran.open() }
      #expect(second.engine.withCore { $0.workers.isShort })

      mayEnd.open()

      // The test waits for a latch: a dispatcher that it waited in would get libuv's spare thread.
      #expect(ran.wait(patience))
      isOver.raise()
      first.runUntilIdle()
      second.runUntilIdle()
    }

    @Test("two dispatchers share the threads, and both go on")
    func twoDispatchers() throws {
      let first = try UVDispatcher()
      let second = try UVDispatcher()
      let isOver = Box(false)
      let count = Box(0)
      @Sendable func again() {
        guard !isOver.value else { return }
        first.background { again() }
        first.spend(.milliseconds(1))
      }
      for _ in 0..<8 { first.background { again() } }
      for _ in 0..<50 { second.background { count.increment() } }

      second.runUntilIdle()
      isOver.value = true

      #expect(count.value == 50)
      first.runUntilIdle()
    }
  }
}

extension UVDispatcher {
  /// Keeps the calling thread busy for `duration`.
  fileprivate func spend(_ duration: Duration) {
    let end = now.advanced(by: duration)
    while now < end {}
  }

  /// Asks `count` times for the status of a file through the loop, one after the other; then calls `finally`,
  /// and lets everything end. Returns the longest time that an answer took.
  fileprivate func slowestStat(of count: Int, _ finally: @escaping @Sendable () -> Void) -> Duration
  {
    let slowest = Box(Duration.zero)
    @Sendable func ask(_ left: Int) {
      guard left > 0 else {
        finally()
        beginShutdown(.init(drain: .seconds(3600)))
        return
      }
      let begin = now
      unsafe withLoop { loop in
        unsafe Adopted.stat("/", on: loop) {
          let time = begin.duration(to: self.now)
          slowest.change { $0 = max($0, time) }
          self.foreground { ask(left - 1) }
        }
      }
    }
    foreground { ask(count) }
    // A body that still runs when the gate closes may post itself again. That is accepted, and drains.
    run()
    return slowest.value
  }
}
