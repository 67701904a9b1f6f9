import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("Bodies that wait for what only they could bring about are told so")
  struct StandstillTests {
    private let dispatcher: UVDispatcher
    private let refused = Box(0)
    private let busy = Latch()
    private let gate = Latch()
    private let wasLetGo = Box(false)

    init() throws { dispatcher = try UVDispatcher(.init(backgroundWidth: 2)) }

    private func note(_ wait: () throws -> Void) {
      do { try wait() } catch WaitRefusal.wouldDeadlock { refused.increment() } catch {
        Issue.record(error)
      }
    }

    /// The rest of a body that may go on, as far as the dispatcher knows.
    private func goOn() {
      busy.open()
      wasLetGo.value = gate.wait(patience)
    }

    @Test("although a timer is pending: its body is no worker")
    func timerPending() throws {
      let (both, ended) = (Latch(2), Latch(2))
      dispatcher.foreground.after(.seconds(3600)) {}
      for _ in 0..<2 {
        dispatcher.background { [dispatcher] in
          both.open()
          both.hold(patience)
          let handle = dispatcher.background.submit {}
          note { _ = try handle.wait() }
          ended.open()
        }
      }

      try dispatcher.start()

      #expect(ended.wait(patience))
      // The body that was refused first has given its worker back, so the other may not be refused.
      #expect((1...2).contains(refused.value))
      dispatcher.end()
    }

    @Test("although the queue that the body has entered has room: in sync it runs no other task")
    func inside() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      let view = dispatcher.makeQueue(label: "view", width: 2)
      let ended = Latch()
      dispatcher.background {
        note {
          try view.sync {
            let handle = view.submit {}
            try handle.wait()
          }
        }
        ended.open()
      }

      try dispatcher.start()

      #expect(ended.wait(patience))
      #expect(refused.value == 1)
      dispatcher.end()
    }

    @Test("although others go on, if a barrier that waits closes their circle")
    func circleThroughBarrier() throws {
      let serial = dispatcher.makeQueue(label: "serial", width: 1)
      let wide = dispatcher.makeQueue(label: "wide", width: 2)
      let (both, barrierWaits, ended) = (Latch(2), Latch(), Latch(2))
      let ran = Box(0)
      dispatcher.foreground { goOn() }
      serial {
        both.open()
        barrierWaits.hold(patience)
        // This call stands behind the barrier, which waits for the other body, which waits for this one.
        note { _ = try wide.sync { ran.increment() } }
        ended.open()
      }
      wide {
        both.open()
        barrierWaits.hold(patience)
        note { _ = try serial.sync { ran.increment() } }
        ended.open()
      }
      try dispatcher.start()
      #expect(busy.wait(patience))
      #expect(both.wait(patience))
      wide.barrier { ran.increment() }

      barrierWaits.open()

      #expect(ended.wait(patience))
      #expect(refused.value == 1)
      gate.open()
      dispatcher.end()
      #expect(wasLetGo.value)
      // The barrier, and the `sync` body of the other.
      #expect(ran.value == 2)
    }

    @Test("but not a worker that waits for what another, which is busy, may run when it is free")
    func busyWorker() throws {
      let serial = dispatcher.makeQueue(label: "serial", width: 1)
      let wide = dispatcher.makeQueue(label: "wide", width: 2)
      let ended = Latch(2)
      let ran = Box(0)
      dispatcher.background { goOn() }
      try dispatcher.start()
      #expect(busy.wait(patience))
      wide.suspend()
      wide {
        // This body runs on another thread than the one below. On the same thread this would be a circle.
        note { _ = try serial.sync { ran.increment() } }
        ended.open()
      }

      serial {
        wide.resume()
        note { _ = try wide.sync { ran.increment() } }
        ended.open()
      }
      dispatcher.waitUntil { $0.running.all.contains(where: \.isBlocked) }
      gate.open()

      #expect(ended.wait(patience))
      dispatcher.end()
      #expect(wasLetGo.value)
      #expect(refused.value == 0)
      #expect(ran.value == 2)
    }
  }
}
