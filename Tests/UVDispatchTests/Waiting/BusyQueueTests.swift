import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// Rule 14 while a worker is busy with a body that will end: the wait can end too, and is not refused.
  @Suite("While the workers are busy, a thread that waits")
  struct BusyQueueTests {
    private let begun = Latch()
    private let gate = Latch()
    private let wasLetGo = Box(false)
    private let refused = Box(0)

    /// Keeps a worker busy until the gate is open.
    private func occupy(_ dispatcher: UVDispatcher) throws {
      dispatcher.background {
        begun.open()
        wasLetGo.value = gate.wait(patience)
      }
      try dispatcher.start()
      #expect(begun.wait(patience))
    }

    private func end(_ dispatcher: UVDispatcher) {
      dispatcher.end()
      #expect(wasLetGo.value)
      #expect(refused.value == 0)
    }

    @Test("for a queue runs nothing of that on top of its wait, which may need it")
    func semaphore() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 2))
      let (view, serial) = (
        dispatcher.makeQueue(label: "view", width: 2),
        dispatcher.makeQueue(label: "serial", width: 1)
      )
      let (semaphore, ended, wasOpened) = (Latch(), Latch(2), Box(false))
      try occupy(dispatcher)
      serial {
        view {
          wasOpened.value = semaphore.wait(patience)
          ended.open()
        }
        do { try view.sync {} } catch { refused.increment() }
        semaphore.open()
        ended.open()
      }
      dispatcher.waitUntil { $0.running.all.contains(where: \.isBlocked) }

      gate.open()

      #expect(ended.wait(patience * 2))
      #expect(wasOpened.value)
      end(dispatcher)
    }

    @Test(
      "in a sync of another queue runs nothing there if it is no worker",
      arguments: Lane.allCases)
    func noWorker(lane: Lane) throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let outer = dispatcher.makeQueue(label: "outer", width: 1)
      let inner = dispatcher.makeQueue(label: "inner", width: 1)
      let (caller, runner, ended) = (Box<UInt?>(nil), Box<UInt?>(nil), Latch())
      try occupy(dispatcher)
      inner { runner.value = CurrentThread.id }
      let body: @Sendable () -> Void = {
        caller.value = CurrentThread.id
        do { try outer.sync { try inner.sync {} } } catch { refused.increment() }
        ended.open()
      }
      // For the background, the caller is a thread that no dispatcher knows of.
      let outsider = lane == .background ? OtherThread(body) : nil
      if lane == .foreground { dispatcher.foreground(body) }
      dispatcher.waitUntil { core in
        core.blocked.threads.contains { if case .admission = $0.target { true } else { false } }
      }

      gate.open()

      #expect(ended.wait(patience))
      #expect(runner.value != nil && runner.value != caller.value)
      #expect(outsider?.join() != false)
      end(dispatcher)
    }

    @Test("for the body of another one, whose queue is suspended, is in no circle")
    func suspended() throws {
      let dispatcher = try UVDispatcher()
      let names = ["held", "middle", "first"]
      let queues = names.map { dispatcher.makeQueue(label: $0, width: 1) }
      queues[0].suspend()
      let ended = Latch(2)
      try dispatcher.start()
      for number in [1, 2] {
        let queue = queues[number]
        queue {
          do { try queues[number - 1].sync {} } catch { refused.increment() }
          ended.open()
        }
        dispatcher.waitUntil {
          $0.running.all.count(where: \.isBlocked) == number || refused.value > 0
        }
      }
      #expect(refused.value == 0)

      queues[0].resume()

      #expect(ended.wait(patience))
      #expect(refused.value == 0)
      dispatcher.end()
    }

    @Test("for room in its own queue is told that it would wait for itself")
    func room() throws {
      let dispatcher = try UVDispatcher(.init(overflow: .blockCaller(limit: 1, timeout: nil)))
      let view = dispatcher.makeQueue(label: "view", width: 1)
      let (ended, answers) = (Latch(), Box([Admission]()))
      try occupy(dispatcher)

      view {
        let first = view {}
        let second = view {}
        answers.value = [first, second]
        ended.open()
      }

      #expect(ended.wait(patience))
      #expect(answers.value == [.accepted, .refused(.wouldDeadlock)])
      gate.open()
      end(dispatcher)
    }
  }
}
