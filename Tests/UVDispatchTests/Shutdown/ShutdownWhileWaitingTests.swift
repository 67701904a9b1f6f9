import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A shutdown while threads are blocked")
  struct ShutdownWhileWaitingTests {
    @Test("in sync, lets those run that are admitted within the drain")
    func inSync() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "disk", width: 1)
      let (started, gate) = (Latch(), Latch())
      let result = Box<Int?>(nil)
      view {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))
      let caller = OtherThread { result.value = try? view.sync { 7 } }
      dispatcher.waitUntil { $0.accounts.ledger.accepted == 2 }
      dispatcher.foreground { gate.open() }
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      let report = dispatcher.run()

      #expect(caller.join())
      #expect(result.value == 7)
      #expect(report.ledger.completed == 3)
      #expect(report.ledger.balances)
    }

    @Test("or Tasks wait for room, lets no task in once the drain is over")
    func asTasksWaitForRoom() throws {
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 1)))
      let view = dispatcher.makeQueue(label: "disk", width: 1)
      let (started, queued, waiting) = (Latch(2), Latch(), Latch())
      let (cancelled, ran) = (Latch(3), Box(false))
      // The loop's thread would cancel what a worker can start.
      dispatcher.foreground {
        started.open()
        dispatcher.waitUntil {
          let ledger = $0.accounts.ledger
          return ledger.cancelled + ledger.completed > 3 && ledger.waiting + ledger.running == 1
        }
      }
      view {
        started.open()
        #expect(queued.wait(patience))
        dispatcher.beginShutdown(.init(drain: .seconds(3600)))
        for _ in 0..<3 {
          Task(executorPreference: dispatcher.background.executor) {
            do { try await view.run { ran.value = true } } catch { cancelled.open() }
          }
        }
        #expect(waiting.wait(patience))
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(3600)))
      }
      let watcher = OtherThread {
        #expect(started.wait(patience))
        view { ran.value = true }
        queued.open()
        dispatcher.waitUntil { $0.standby.withoutRoom.count == 3 }
        waiting.open()
      }

      let report = dispatcher.run()

      #expect(watcher.join())
      #expect(cancelled.wait(patience))
      #expect(!ran.value)
      #expect(report.ledger.cancelled == 4)
      #expect(report.ledger.balances && report.ledger.waiting == 0)
    }

    @Test("in sync on a suspended view, refuses them when nothing else is left")
    func inSyncOnSuspended() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "disk", width: 1)
      let answer = Box("none")
      view.suspend()
      let caller = OtherThread {
        do {
          try view.sync { answer.value = "ran" }
        } catch { answer.value = "\(error)" }
      }
      dispatcher.waitUntil { $0.accounts.ledger.accepted == 1 }
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      let report = dispatcher.run()
      view.resume()

      #expect(caller.join())
      #expect(answer.value == "refused: the dispatcher is shutting down")
      #expect(report.ledger.waiting == 0)
      #expect(report.ledger.balances)
    }

    @Test("in sync, refuses those behind a body that outlives the deadline, and ends")
    func inSyncBehindAbandoned() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "disk", width: 1)
      let (started, gate) = (Latch(), Latch())
      let hasEnded = Box(false)
      let answer = Box("ran")
      view.async(label: "stuck") {
        started.open()
        // With a time-out, so that a broken dispatcher fails here and does not hang.
        _ = gate.wait(.seconds(2))
        hasEnded.value = true
      }
      #expect(started.wait(patience))
      let caller = OtherThread {
        do { try view.sync {} } catch { answer.value = "\(error)" }
      }
      dispatcher.waitUntil { $0.accounts.ledger.accepted == 2 }
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))

      let report = dispatcher.run()
      let waitedForBody = hasEnded.value
      gate.open()

      #expect(!waitedForBody)
      #expect(caller.join())
      #expect(answer.value == "refused: the dispatcher is shutting down")
      #expect(report.unfinished.first?.label == "stuck")
      #expect(report.unfinished.first?.state == .abandoned)
      #expect(report.ledger.balances)
      dispatcher.waitUntil { $0.running.isEmpty }
    }

    @Test("for room, refuses them, and what they brought never runs")
    func forRoom() throws {
      let dispatcher = try UVDispatcher(
        .init(backgroundWidth: 1, overflow: .blockCaller(limit: 1, timeout: nil)))
      let (started, gate) = (Latch(), Latch())
      dispatcher.background {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))
      dispatcher.background {}
      let admissions = Box([Admission]())
      let ran = Box(0)
      let comers = (0..<4).map { _ in
        WatchedThread {
          let admission = dispatcher.background { ran.increment() }
          admissions.change { $0.append(admission) }
        }
      }
      for comer in comers { #expect(comer.waitUntilItSleeps()) }

      dispatcher.beginShutdown(.init(drain: .seconds(3600)))
      for comer in comers { #expect(comer.join()) }
      gate.open()
      let report = dispatcher.run()

      #expect(admissions.value == Array(repeating: .refused(.shutDown), count: 4))
      #expect(ran.value == 0)
      #expect(report.ledger.completed == 2)
      #expect(report.ledger.refused == 4)
      #expect(report.ledger.balances)
    }

    @Test("for an outcome, tells them what became of it", arguments: [true, false])
    func forOutcome(hasStarted: Bool) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let (started, gate) = (Latch(), Latch())
      let running = dispatcher.background.submit(label: "running") {
        started.open()
        gate.hold(patience)
      }
      #expect(started.wait(patience))
      let waiting = dispatcher.background.submit(label: "waiting") {}
      let outcome = Box<Outcome?>(nil)
      let waiter = OtherThread { outcome.value = try? (hasStarted ? running : waiting).wait() }
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))

      let report = dispatcher.run()

      #expect(waiter.join())
      #expect(outcome.value == (hasStarted ? .abandoned : .cancelled))
      #expect(report.unfinished.map(\.label) == ["running", "waiting"])
      gate.open()
      dispatcher.waitUntil { $0.running.isEmpty }
    }

    @Test("for a group, lets them go when the last of it has ended")
    func forGroup() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let group = WorkGroup()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      for _ in 0..<5 { view.async(group: group) {} }
      for _ in 0..<5 { dispatcher.foreground.async(group: group) {} }
      let ended = Box(false)
      let waiter = OtherThread { ended.value = (try? group.wait(timeout: nil)) != nil }
      dispatcher.beginShutdown()

      let report = dispatcher.run()

      #expect(waiter.join())
      #expect(ended.value)
      #expect(report.ledger.cancelled == 5)
      #expect(report.ledger.completed == 5)
    }

    @Test("in sync on the foreground, is not held up by them, nor they by it")
    func inSyncOnForeground() throws {
      let dispatcher = try UVDispatcher()
      let ran = Box(0)
      let callers = (0..<6).map { _ in
        OtherThread { try? dispatcher.foreground.sync { _ = ran.increment() } }
      }
      dispatcher.waitUntil { $0.accounts.ledger.accepted == 6 }
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      let report = dispatcher.run()

      for caller in callers { #expect(caller.join()) }
      #expect(ran.value == 6)
      #expect(report.ledger.completed == 6)
    }
  }
}
