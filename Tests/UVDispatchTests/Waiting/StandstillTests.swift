import TaskDispatch
import Testing

@testable import TaskDispatchTesting
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

    /// A body that goes on all the time, as far as anybody knows.
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
      // Whoever was told first has given its worker back.
      #expect((1...2).contains(refused.value))
      dispatcher.end()
    }

    @Test("although the queue has room that the body has entered: whoever runs there helps nobody")
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
      let (both, barrierStands, ended) = (Latch(2), Latch(), Latch(2))
      let ran = Box(0)
      dispatcher.foreground { goOn() }
      serial {
        both.open()
        barrierStands.hold(patience)
        // Behind the barrier, which waits for the other body, which waits for this one.
        note { _ = try wide.sync { ran.increment() } }
        ended.open()
      }
      wide {
        both.open()
        barrierStands.hold(patience)
        note { _ = try serial.sync { ran.increment() } }
        ended.open()
      }
      try dispatcher.start()
      #expect(busy.wait(patience))
      #expect(both.wait(patience))
      wide.barrier { ran.increment() }

      barrierStands.open()

      #expect(ended.wait(patience))
      #expect(refused.value == 1)
      gate.open()
      dispatcher.end()
      #expect(wasLetGo.value)
      // The barrier, and the body of the other.
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
        // On a thread of its own: on that of the other body this would be a circle.
        note { _ = try serial.sync { ran.increment() } }
        ended.open()
      }

      serial {
        wide.resume()
        note { _ = try wide.sync { ran.increment() } }
        ended.open()
      }
      dispatcher.waitUntil { $0.running.contains(where: \.isBlocked) }
      gate.open()

      #expect(ended.wait(patience))
      dispatcher.end()
      #expect(wasLetGo.value)
      #expect(refused.value == 0)
      #expect(ran.value == 2)
    }
  }
}
