import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// Rule 14 from both sides: which waits are refused, and which must not be.
  @Suite("The only worker, which waits for what needs it,")
  struct WayOutTests {
    private let dispatcher: UVDispatcher
    private let answer = Box<String?>(nil)
    private let answered = Latch()

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 1)) }

    /// Makes the worker wait, and notes how that ended.
    @discardableResult
    private func onWorker(
      in group: WorkGroup? = nil, _ wait: @escaping @Sendable () throws -> String
    ) -> TaskHandle<Void> {
      dispatcher.background.submit(group: group) { [answer, answered] in
        do { answer.value = try wait() } catch WaitRefusal.timedOut {
          answer.value = "timed out"
        } catch WaitRefusal.wouldDeadlock {
          answer.value = "would deadlock"
        } catch { answer.value = "\(error)" }
        answered.open()
      }
    }

    private func waitUntilItWaits() {
      dispatcher.waitUntil { $0.running.all.contains { $0.lane == .background && $0.isBlocked } }
    }

    @Test("is told of a deadlock while no thread runs the loop, which is not on its chain")
    func noLoop() {
      onWorker { [dispatcher] in "\(try dispatcher.background.submit {}.wait())" }

      #expect(answered.wait(patience))
      #expect(answer.value == "would deadlock")
      dispatcher.runUntilIdle()
    }

    @Test("is told of a deadlock when the last entry by hand leaves the group that it waits for")
    func leftByHand() {
      let group = WorkGroup()
      group.enter()
      onWorker {
        try group.wait()
        return "went on"
      }
      waitUntilItWaits()
      dispatcher.background.async(group: group) {}

      group.leave()

      #expect(answered.wait(patience))
      #expect(answer.value == "would deadlock")
      dispatcher.runUntilIdle()
    }

    @Test(
      "is told of a deadlock if it waits for a task of a suspended view, since it needs the worker"
    )
    func suspendedView() throws {
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view.suspend()
      let handle = view.submit {}
      try dispatcher.start()
      onWorker { "\(try handle.wait())" }

      #expect(answered.wait(patience))
      #expect(answer.value == "would deadlock")
      view.resume()
      dispatcher.end()
    }

    @Test("is not told of a deadlock if another worker could run the task of a suspended view")
    func suspendedViewAndWorker() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      view.suspend()
      let handle = view.submit {}
      let waiter = dispatcher.background.submit { try handle.wait() }
      dispatcher.waitUntil { $0.running.all.contains(where: \.isBlocked) }
      // If the wait were found to be a deadlock, one of these sections of the lock would refuse it.
      for _ in 0..<10 { dispatcher.engine.withCore { _ in } }
      #expect(waiter.outcomeIfFinished == nil)

      view.resume()

      #expect(try waiter.wait(timeout: patience) == .completed)
      dispatcher.runUntilIdle()
    }

    @Test("is shown as going on when its sync has ended")
    func syncEnded() {
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let areBlocked: @Sendable () -> [Bool] = { [dispatcher] in
        dispatcher.engine.withCore { $0.running.all.map(\.isBlocked) }
      }
      onWorker {
        let inside = try view.sync(areBlocked)
        return "\(inside), then \(areBlocked())"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "[true, false], then [false]")
      dispatcher.runUntilIdle()
    }

    @Test("is not told of a deadlock if it waits for a task for so long and no longer")
    func taskInTime() throws {
      try dispatcher.start()

      onWorker { [dispatcher] in
        // The only worker runs this body, so no thread can run that task.
        let handle = dispatcher.background.submit {}
        return "\(try handle.wait(timeout: .milliseconds(1)))"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "timed out")
      dispatcher.end()
    }

    @Test("is not told of a deadlock if it waits for a group for so long and no longer")
    func groupInTime() throws {
      let group = WorkGroup()
      try dispatcher.start()

      onWorker { [dispatcher] in
        dispatcher.background.async(group: group) {}
        try group.wait(timeout: .milliseconds(1))
        return "empty"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "timed out")
      dispatcher.end()
    }

    @Test("is told of one if it waits for a group, whatever timer is pending that is not in that")
    func groupAndTimer() throws {
      let group = WorkGroup()
      try dispatcher.start()
      dispatcher.foreground.after(.seconds(3600)) {}
      onWorker { [dispatcher] in
        dispatcher.background.async(group: group) {}
        try group.wait()
        return "empty"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "would deadlock")
      dispatcher.end()
    }

    @Test("is not told of a deadlock if it waits for a group in which a timer is")
    func groupOfTimer() throws {
      let group = WorkGroup()
      try dispatcher.start()
      dispatcher.foreground.after(.milliseconds(1), group: group) {}
      onWorker {
        try group.wait()
        return "empty"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "empty")
      dispatcher.end()
    }

    @Test("is not told of a deadlock if the group's tasks have ended and it was entered by hand")
    func enteredByHand() throws {
      let group = WorkGroup()
      try dispatcher.start()
      let member = dispatcher.background.submit(group: group) {}
      dispatcher.waitUntil { _ in member.outcomeIfFinished != nil }
      group.enter()
      onWorker {
        try group.wait()
        return "empty"
      }
      waitUntilItWaits()

      group.leave()

      #expect(answered.wait(patience))
      #expect(answer.value == "empty")
      dispatcher.end()
    }

    @Test("is told of one, or the loop is, if each stands in sync and no circle shows")
    func withoutCircle() throws {
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (refused, ran, ended) = (Box(0), Box(0), Latch(2))
      let bothAreIn = Latch(2)
      dispatcher.background { [dispatcher] in
        bothAreIn.open()
        bothAreIn.hold(patience)
        do { try dispatcher.foreground.sync {} } catch { refused.increment() }
        ended.open()
      }
      dispatcher.foreground {
        bothAreIn.open()
        bothAreIn.hold(patience)
        // A task that only the worker could run stands before this `sync`.
        view { ran.increment() }
        do { try view.sync {} } catch { refused.increment() }
        ended.open()
      }

      try dispatcher.start()

      #expect(ended.wait(patience))
      #expect(refused.value == 1)
      dispatcher.end()
      #expect(ran.value == 1)
    }

    @Test("is told at once that it waits for itself, however long it may wait")
    func itself() throws {
      let own = Box<TaskHandle<Void>?>(nil)
      own.value = onWorker {
        while own.value == nil {}
        return "\(try own.value!.wait(timeout: .seconds(3600)))"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "would deadlock")
    }

    @Test("is told at once that it waits for its own group, however long it may wait")
    func ownGroup() throws {
      let group = WorkGroup()
      onWorker(in: group) {
        try group.wait(timeout: .seconds(3600))
        return "empty"
      }

      #expect(answered.wait(patience))
      #expect(answer.value == "would deadlock")
    }
  }
}
