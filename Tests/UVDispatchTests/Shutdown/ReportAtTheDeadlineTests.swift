import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The report of a shutdown comes at its deadline, and names what does not end,")
  struct ReportAtTheDeadlineTests {
    private static let policy = ShutdownPolicy(drain: .milliseconds(10), cancel: .milliseconds(10))

    /// Shuts `dispatcher` down, and returns what was abandoned.
    private func abandoned(by dispatcher: UVDispatcher) throws -> [ShutdownReport.Unfinished] {
      dispatcher.beginShutdown(Self.policy)
      let report = try dispatcher.waitForReport(timeout: patience)
      #expect(report.ledger.balances)
      #expect(report.ledger.waiting == 0)
      #expect(report.ledger.running == 0)
      return report.unfinished.filter { $0.state == .abandoned }
    }

    /// Starts a Task that yields on `queue` until `mayEnd` is raised, and returns when it has begun.
    private func yield(on queue: TaskQueue, until mayEnd: Flag, _ ended: Latch) {
      let started = Latch()
      Task(executorPreference: queue.executor) {
        started.open()
        while !mayEnd.isRaised { await Task.yield() }
        ended.open()
      }
      #expect(started.wait(patience))
    }

    @Test("if that is a body of the foreground")
    func foregroundBody() throws {
      let dispatcher = try UVDispatcher()
      let (started, gate, ended) = (Latch(), Latch(), Latch())
      let behind = Box(0)
      let handle = dispatcher.foreground.submit(label: "stuck") {
        started.open()
        gate.hold(patience)
        ended.open()
      }
      dispatcher.foreground { behind.increment() }
      try dispatcher.start()
      #expect(started.wait(patience))

      let abandoned = try abandoned(by: dispatcher)

      #expect(abandoned.map(\.label) == ["stuck"])
      #expect(abandoned.map(\.thread) == ["the loop"])
      #expect(handle.outcomeIfFinished == .abandoned)
      gate.open()
      #expect(ended.wait(patience))
      dispatcher.waitUntil { $0.loop.isOver && $0.running.isEmpty }
      #expect(behind.value == 0)
      #expect(dispatcher.ledger == dispatcher.report?.ledger)
    }

    @Test("which a later call has brought forward")
    func broughtForward() throws {
      let dispatcher = try UVDispatcher()
      let (started, gate, ended) = (Latch(), Latch(), Latch())
      dispatcher.foreground.async(label: "stuck") {
        started.open()
        gate.hold(patience)
        ended.open()
      }
      try dispatcher.start()
      #expect(started.wait(patience))
      dispatcher.beginShutdown(.init(drain: .seconds(3_600), cancel: .seconds(3_600)))

      let abandoned = try abandoned(by: dispatcher)

      #expect(abandoned.map(\.label) == ["stuck"])
      gate.open()
      #expect(ended.wait(patience))
    }

    @Test("if that is a body of the foreground that has asked for the end itself")
    func foregroundBodyThatAsks() throws {
      let dispatcher = try UVDispatcher()
      let (gate, ended) = (Latch(), Latch())
      dispatcher.foreground.async(label: "stuck") {
        dispatcher.beginShutdown(Self.policy)
        gate.hold(patience)
        ended.open()
      }
      try dispatcher.start()

      let report = try dispatcher.waitForReport(timeout: patience)

      #expect(report.unfinished.map(\.label) == ["stuck"])
      gate.open()
      #expect(ended.wait(patience))
    }

    @Test(
      "if that is a body whose own thread brings the deadline",
      arguments: [Lane.background, .foreground])
    func bodyThatMakesTheReport(lane: Lane) throws {
      let dispatcher = try UVDispatcher()
      let queue = lane == .background ? dispatcher.background : dispatcher.foreground
      let ended = Latch()
      queue.async(label: "asker") {
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
        // The thread of the deadline may come late. Then any call makes the report.
        dispatcher.engine.withCore { $0.concludeAtDeadline() }
        ended.open()
      }
      try dispatcher.start()

      let report = try dispatcher.waitForReport(timeout: patience)

      #expect(report.unfinished.map(\.label) == ["asker"])
      #expect(report.ledger.balances)
      #expect(report.ledger.running == 0)
      #expect(ended.wait(patience))
      dispatcher.waitUntil { $0.running.isEmpty }
      #expect(dispatcher.ledger == report.ledger)
    }

    @Test("if that is the body of a sync", arguments: [true, false])
    func syncBody(entersAtOnce: Bool) throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (started, gate, hold) = (Latch(), Latch(), Latch())
      if !entersAtOnce { view { hold.hold(patience) } }
      try dispatcher.start()
      let caller = OtherThread {
        _ = try? view.sync {
          started.open()
          gate.hold(patience)
        }
      }
      if !entersAtOnce { dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 } }
      hold.open()
      #expect(started.wait(patience))

      let abandoned = try abandoned(by: dispatcher)

      #expect(abandoned.map(\.queue) == ["view"])
      #expect(abandoned.map(\.thread) == ["the thread that called sync"])
      gate.open()
      #expect(caller.join())
      dispatcher.waitUntil { $0.running.isEmpty }
      #expect(dispatcher.ledger == dispatcher.report?.ledger)
    }

    @Test("if that is the body of a sync inside a body")
    func syncBodyInBody() throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (started, gate) = (Latch(), Latch())
      dispatcher.background.async(label: "outer") {
        try? view.sync {
          started.open()
          gate.hold(patience)
        }
      }
      try dispatcher.start()
      #expect(started.wait(patience))

      let abandoned = try abandoned(by: dispatcher)

      #expect(abandoned.map(\.queue) == ["background", "view"])
      gate.open()
      dispatcher.waitUntil { $0.running.isEmpty }
    }

    @Test("if that is a Task that yields for ever", arguments: [Lane.background, .foreground])
    func yieldingTask(lane: Lane) throws {
      let dispatcher = try UVDispatcher()
      let queue = lane == .background ? dispatcher.background : dispatcher.foreground
      let (mayEnd, ended) = (Flag(), Latch())
      try dispatcher.start()
      yield(on: queue, until: mayEnd, ended)

      let abandoned = try abandoned(by: dispatcher)

      // The Task may be named twice: it has just yielded, and the thread of its job before has not come back
      // yet.
      #expect(Set(abandoned.map(\.site.fileID)) == ["a Swift Task"])
      // The Task goes on elsewhere, and the loop ends nevertheless.
      dispatcher.waitUntil { core in
        core.loop.isOver
          && (lane == .foreground
            || core.running.isEmpty && !core.doors.background.mayHoldEntries
              && core.background.pool.background.queue.ready.isEmpty)
      }
      mayEnd.raise()
      #expect(ended.wait(patienceWithTasks))
    }

    @Test("if that is a job of a Task")
    func job() throws {
      let dispatcher = try UVDispatcher()
      let (started, gate, ended) = (Latch(), Latch(), Latch())
      Task(executorPreference: dispatcher.background.executor) {
        started.open()
        Self.hold(at: gate)
        ended.open()
      }
      try dispatcher.start()
      #expect(started.wait(patience))

      let abandoned = try abandoned(by: dispatcher)

      #expect(abandoned.map(\.site.fileID) == ["a Swift Task"])
      #expect(abandoned.map(\.thread) == ["a thread of the pool"])
      gate.open()
      #expect(ended.wait(patience))
    }

    @Test("if that is a callback", arguments: [Lane.background, .foreground])
    func callback(lane: Lane) throws {
      let dispatcher = try UVDispatcher()
      let queue = lane == .background ? dispatcher.background : dispatcher.foreground
      let (group, started, gate) = (WorkGroup(), Latch(), Latch())
      try dispatcher.start()
      group.enter()
      group.whenEmpty {
        started.open()
        gate.hold(patience)
      }
      queue.async(group: group) { group.leave() }
      #expect(started.wait(patience))

      #expect(try abandoned(by: dispatcher).isEmpty)
      if lane == .background { dispatcher.waitUntil { $0.loop.isOver } }
      gate.open()
      dispatcher.waitUntil { $0.loop.isOver }
    }

    @Test("if no thread runs the loop")
    func noLoop() throws {
      let dispatcher = try UVDispatcher()
      let handle = dispatcher.foreground.submit(label: "waits") {}

      dispatcher.beginShutdown(Self.policy)
      let report = try dispatcher.waitForReport(timeout: patience)

      #expect(report.unfinished.map(\.label) == ["waits"])
      #expect(handle.outcomeIfFinished == .cancelled)
      #expect(dispatcher.run().unfinished == report.unfinished)
    }

    @Test("if no thread runs the loop, and a Task yields for ever, which leaves the pool")
    func yieldingWithoutLoop() throws {
      let dispatcher = try UVDispatcher()
      let (mayEnd, ended) = (Flag(), Latch())
      yield(on: dispatcher.background, until: mayEnd, ended)

      _ = try abandoned(by: dispatcher)

      // The test does not ask whether the Task runs there at the moment: it may have yielded, or not.
      #expect(
        dispatcher.engine.withCore { !$0.loop.isOver && $0.strandsJobs(on: .background, nil) })
      mayEnd.raise()
      #expect(ended.wait(patienceWithTasks))
      #expect(dispatcher.run().ledger.balances)
    }

    @Test("and refuses a caller of sync that was admitted and has not noticed")
    func admitted() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let first = Latch()
      let (isFirst, isSecond) = (Latch(), Latch())
      let answer = Box<WaitRefusal?>(nil)
      view {
        isFirst.open()
        first.hold(patience)
      }
      #expect(isFirst.wait(patience))
      // The caller's thread is blocked for the view, and cannot go on while the lock is held.
      let caller = OtherThread {
        do {
          try view.sync { isSecond.open() }
        } catch {
          answer.value = error as? WaitRefusal
        }
      }
      dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 }
      dispatcher.engine.withCore { core in
        for thread in core.blocked.threads {
          guard case .admission(let task) = thread.target else { continue }
          #expect(core.takeBack(task))
          core.blocked.admit(task)
        }
        core.beginShutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
        core.concludeAtDeadline()
        #expect(core.blocked.admitted == 0)
      }
      #expect(caller.join())
      #expect(answer.value == .refused(.shutDown))
      #expect(!isSecond.isOpen)
      first.open()
      dispatcher.waitUntil { $0.running.isEmpty }
    }

    private static func hold(at gate: Latch) { gate.hold(patience) }
  }
}
