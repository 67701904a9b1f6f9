import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("runUntilIdle()")
  struct RunUntilIdleTests {
    @Test("returns at once if there is nothing")
    func nothing() throws {
      let dispatcher = try UVDispatcher()

      dispatcher.runUntilIdle()
      dispatcher.runUntilIdle()

      #expect(dispatcher.ledger == Ledger())
      #expect(dispatcher.report == nil)
    }

    @Test("comes back when another thread's sync, for which it waits, is over")
    func foreignSync() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (isInside, gate) = (Latch(), Latch())
      let caller = OtherThread {
        try? view.sync {
          isInside.open()
          gate.hold(patience)
        }
      }
      #expect(isInside.wait(patience))

      let loop = WatchedThread { dispatcher.runUntilIdle() }
      #expect(loop.waitUntilItSleeps())
      gate.open()

      #expect(loop.join() && caller.join())
    }

    @Test("runs what is queued on both lanes, and all that follows from it")
    func bothLanes() throws {
      let dispatcher = try UVDispatcher()
      let count = Box(0)
      @Sendable func step(_ left: Int) {
        count.increment()
        guard left > 0 else { return }
        dispatcher.background { dispatcher.foreground { step(left - 1) } }
      }
      dispatcher.foreground { step(50) }

      dispatcher.runUntilIdle()

      #expect(count.value == 51)
      #expect(dispatcher.ledger.completed == 101)
      #expect(dispatcher.ledger.waiting == 0)
      #expect(dispatcher.ledger.running == 0)
    }

    @Test("waits for background work that is running")
    func waitsForBackground() throws {
      let dispatcher = try UVDispatcher()
      let loopRuns = Latch()
      let gate = Latch()
      let hasFinished = Box(false)
      dispatcher.background {
        gate.hold(patience)
        hasFinished.value = true
      }
      dispatcher.foreground { loopRuns.open() }
      let opener = OtherThread {
        loopRuns.hold(patience)
        gate.open()
      }

      dispatcher.runUntilIdle()

      #expect(hasFinished.value)
      #expect(dispatcher.ledger.running == 0)
      #expect(opener.join())
    }

    @Test("leaves timers that are not due, and work that is held")
    func leavesTimers() throws {
      let dispatcher = try UVDispatcher()
      let ran = Box([String]())
      let view = dispatcher.makeQueue(label: "held", width: 1)
      let group = WorkGroup()
      group.enter()
      view.suspend()
      view { ran.change { $0.append("held") } }
      group.notify(on: dispatcher.foreground) { ran.change { $0.append("notified") } }
      let far = dispatcher.foreground.after(.seconds(3600)) { ran.change { $0.append("far") } }
      dispatcher.foreground.after(.nanoseconds(1)) { ran.change { $0.append("due") } }

      dispatcher.runUntilIdle()
      #expect(ran.value == ["due"])
      #expect(dispatcher.ledger.waiting == 3)

      view.resume()
      group.leave()
      dispatcher.runUntilIdle()

      #expect(Set(ran.value) == ["due", "held", "notified"])
      #expect(far.outcomeIfFinished == nil)
      #expect(far.cancel() == .beforeStart)
    }

    @Test("can be called again, on another thread too, and run() after it")
    func again() throws {
      let dispatcher = try UVDispatcher()
      let threads = Box([UInt]())
      let note: @Sendable () -> Void = { threads.change { $0.append(CurrentThread.id) } }
      dispatcher.foreground(note)
      dispatcher.runUntilIdle()
      #expect(!dispatcher.isForeground)

      dispatcher.foreground(note)
      let other = OtherThread { dispatcher.runUntilIdle() }
      #expect(other.join())

      dispatcher.foreground {
        note()
        dispatcher.beginShutdown()
      }
      let report = dispatcher.run()

      let here = CurrentThread.id
      #expect(threads.value.count == 3)
      #expect(threads.value.first == here)
      #expect(threads.value.last == here)
      #expect(threads.value.dropFirst().first != here)
      #expect(report.ledger.completed == 3)
    }

    @Test("runs nothing between two calls but the background")
    func between() throws {
      let dispatcher = try UVDispatcher()
      dispatcher.runUntilIdle()
      let foregroundRan = Box(false)
      let ran = Latch()

      dispatcher.foreground { foregroundRan.value = true }
      dispatcher.foreground.after(.nanoseconds(1)) { foregroundRan.value = true }
      dispatcher.background { ran.open() }

      #expect(ran.wait(patience))
      #expect(!foregroundRan.value)
      dispatcher.runUntilIdle()
      #expect(foregroundRan.value)
    }

    @Test("ends the dispatcher if a shutdown began")
    func endsShutdown() throws {
      let dispatcher = try UVDispatcher()
      dispatcher.foreground.after(.seconds(3600)) {}
      dispatcher.foreground { dispatcher.beginShutdown() }

      dispatcher.runUntilIdle()

      #expect(dispatcher.report?.ledger.completed == 1)
      #expect(dispatcher.report?.ledger.cancelled == 1)
      let admission = dispatcher.background {}
      #expect(admission == .refused(.shutDown))
    }

    @Test("runs jobs of Tasks, and what they await on its queues")
    func jobs() throws {
      let dispatcher = try UVDispatcher()
      let result = Box<Int?>(nil)
      Task(executorPreference: dispatcher.foreground.executor) {
        result.value = try? await dispatcher.background.run { 42 }
      }

      dispatcher.runUntilIdle()

      #expect(result.value == 42)
    }
  }
}
