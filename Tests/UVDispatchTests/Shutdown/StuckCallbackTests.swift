import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A shutdown keeps its deadlines while a callback does not return,")
  struct StuckCallbackTests {
    private let dispatcher: UVDispatcher
    private let stuck = Latch()
    private let gate = Latch()
    private let left = Latch()
    private let policy = ShutdownPolicy(drain: .milliseconds(10), cancel: .milliseconds(10))

    init() throws { dispatcher = try UVDispatcher() }

    /// A group whose callback does not return before the gate opens.
    private func stuckGroup() -> WorkGroup {
      let group = WorkGroup()
      group.enter()
      group.whenEmpty { [stuck, gate, left] in
        stuck.open()
        // Longer than the test waits for the report.
        _ = gate.wait(patience + patience)
        left.open()
      }
      return group
    }

    /// Submits a timer that is due in an hour, with a group whose callback does not return.
    private func submitStuckTimer() {
      let group = stuckGroup()
      dispatcher.background.after(.seconds(3_600), group: group) {}
      group.leave()
    }

    /// Submits a task to a suspended view, with a group whose callback does not return.
    private func submitStuckTask() {
      let group = stuckGroup()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      view.async(group: group) {}
      group.leave()
    }

    @Test("and the loop ends, also if the thread of that callback has just woken it")
    func afterAWake() throws {
      let (began, hold) = (Latch(), Latch())
      let group = stuckGroup()
      dispatcher.background.async(group: group) {
        began.open()
        _ = hold.wait(patience)
      }
      group.leave()
      let loop = OtherThread { [dispatcher] in dispatcher.run() }
      #expect(began.wait(patience))
      dispatcher.beginShutdown(ShutdownPolicy(drain: .milliseconds(300), cancel: .zero))
      // The end of the body wakes the loop, and its group calls back in the same section.
      dispatcher.waitUntil { $0.loop.mustBeTold }
      hold.open()
      #expect(stuck.wait(patience))

      #expect(loop.join())

      gate.open()
      #expect(left.wait(patience))
    }

    /// Starts the loop, and keeps its thread in a body until the returned latch is opened.
    private func holdLoop() throws -> Latch {
      let (started, hold) = (Latch(), Latch())
      dispatcher.foreground {
        started.open()
        // Longer than the test waits for the report, since the loop's thread could make the report as well.
        _ = hold.wait(patience + patience)
      }
      try dispatcher.start()
      #expect(started.wait(patience))
      return hold
    }

    private func expectReport(_ states: Set<ShutdownReport.Unfinished.State>? = nil) throws {
      let report = try dispatcher.waitForReport(timeout: patience)
      #expect(report.ledger.balances)
      if let states { #expect(Set(report.unfinished.map(\.state)) == states) }
      #expect(!left.isOpen, "the callback has not returned")
    }

    private func opens(_ latch: Latch) async -> Bool {
      await onOtherThread { latch.wait(patience) }
    }

    private func end() {
      gate.open()
      #expect(left.wait(patience))
      dispatcher.end()
    }

    @Test(
      "which the call that begins it makes", arguments: ["another thread", "the loop", "a worker"])
    func inTheCall(place: String) throws {
      submitStuckTimer()
      try dispatcher.start()
      let begin: @Sendable () -> Void = { [dispatcher, policy] in dispatcher.beginShutdown(policy) }
      switch place {
      case "the loop": dispatcher.foreground { begin() }
      case "a worker": dispatcher.background { begin() }
      default: _ = OtherThread(begin)
      }

      #expect(stuck.wait(patience))
      try expectReport()
      end()
    }

    @Test("which a later call makes that brings the deadline forward")
    func inALaterCall() throws {
      submitStuckTask()
      let hold = try holdLoop()
      dispatcher.beginShutdown(.init(drain: .seconds(3_600), cancel: .seconds(3_600)))

      let later = OtherThread { [dispatcher] in
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      }

      #expect(stuck.wait(patience))
      try expectReport()
      hold.open()
      end()
      #expect(later.join())
    }

    @Test("of what is cancelled when the time to drain is over")
    func atTheEndOfTheDrain() throws {
      submitStuckTask()
      let hold = try holdLoop()

      dispatcher.beginShutdown(policy)

      #expect(stuck.wait(patience))
      try expectReport([.neverStarted, .abandoned])
      hold.open()
      end()
    }

    @Test("of what is given up at the deadline; Tasks go on then, and the loop comes to its end")
    func atTheDeadline() async throws {
      let group = stuckGroup()
      let (started, hold) = (Latch(), Latch())
      dispatcher.background.async(group: group) {
        started.open()
        hold.hold(patience)
      }
      group.leave()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let task = Task(executorPreference: view.executor) { 12 }
      #expect(await opens(started))
      await onOtherThread { [dispatcher] in dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 }
      }
      let awaiter = Task.immediate { [dispatcher] in await dispatcher.waitForReport() }
      // No thread runs the loop, so the thread of the deadline calls the callbacks.
      dispatcher.beginShutdown(policy)

      #expect(await opens(stuck))
      try await onOtherThread { [self] in Result { try expectReport() } }.get()
      #expect(await awaiter.value.ledger.balances)
      #expect(await task.value == 12)
      #expect(!left.isOpen, "they have waited for the callback")
      hold.open()
      gate.open()
      #expect(await opens(left))
      _ = await onOtherThread { [dispatcher] in dispatcher.run() }
    }

    @Test("and what waits for another that was cancelled with it goes on")
    func othersGoOn() async throws {
      submitStuckTimer()
      let (view, group) = (dispatcher.makeQueue(label: "held", width: 1), WorkGroup())
      view.suspend()
      let first = view.submit(group: group, atShutdown: .skip) {}
      let second = view.submit(atShutdown: .skip) {}
      let outcome = Task.immediate { await first.outcome }
      let other = Task.immediate { await second.outcome }
      let empty = Task.immediate { await group.wait() }
      let notified = Latch()
      group.notify(on: dispatcher.background) { notified.open() }
      let hold = Latch()
      dispatcher.background { hold.hold(patience) }
      try dispatcher.start()
      let call = OtherThread { [dispatcher] in
        dispatcher.beginShutdown(.init(drain: .seconds(3_600), cancel: .zero))
      }
      #expect(await opens(stuck))

      #expect(await outcome.value == .cancelled)
      #expect(await other.value == .cancelled)
      await empty.value
      #expect(await opens(notified))
      #expect(!left.isOpen)
      hold.open()
      await onOtherThread { [self] in
        end()
        #expect(call.join())
      }
    }

    // MARK: While the loop's thread cannot do it

    @Test(
      "and cancels at the end of the drain while the loop is in a body, or runs nowhere",
      arguments: [true, false])
    func drainWithoutTheLoop(runs: Bool) throws {
      let loop = runs ? try holdLoop() : nil
      let width = dispatcher.effectiveBackgroundWidth
      let (started, wasCancelled) = (Latch(width), Latch(width))
      let hold = Latch()
      for _ in 0..<width {
        dispatcher.background {
          started.open()
          while !CurrentTask.isCancelled, !hold.isOpen {}
          if CurrentTask.isCancelled { wasCancelled.open() }
        }
      }
      #expect(started.wait(patience))
      let behind = dispatcher.background.submit {}

      dispatcher.beginShutdown(.init(drain: .milliseconds(10), cancel: .seconds(3_600)))

      #expect(wasCancelled.wait(patience))
      #expect(try behind.wait(timeout: patience) == .cancelled)
      hold.open()
      loop?.open()
      if !runs { try dispatcher.start() }
      dispatcher.end()
    }

    @Test("and a Task of the foreground goes on that no loop runs")
    func foregroundWithoutLoop() async throws {
      let task = Task(executorPreference: dispatcher.foreground.executor) { 12 }
      await onOtherThread { [dispatcher] in dispatcher.waitUntil { $0.accounts.ledger.waiting == 1 }
      }

      dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
      let report = await dispatcher.waitForReport()

      #expect(report.unfinished.map(\.state) == [.abandoned])
      #expect(await task.value == 12)
      _ = await onOtherThread { [dispatcher] in dispatcher.run() }
    }
  }
}
