import Glibc
import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("A signal beside a shutdown")
  struct SignalAtTheEndTests {
    @Test("is refused a handler once shutdown has begun; those there are go on until it ends")
    func shutdown() throws {
      let signal = Signal(rawValue: 52)
      let dispatcher = try UVDispatcher()
      let called = Latch()
      let registration = try dispatcher.onSignal(signal) { _ in called.open() }
      try dispatcher.start()
      let gate = Latch()
      dispatcher.background {
        deliver(signal)
        gate.hold(patience)
      }
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      #expect(throws: EventRefusal.shutDown) { try dispatcher.onSignal(.terminate) { _ in } }
      #expect(called.wait(patience))

      gate.open()
      dispatcher.end()
      #expect(!registration.isCancelled)
      #expect(dispatcher.engine.withCore { !$0.awaitsEvents })
    }

    @Test("that came before a shutdown is told, whichever thread begins it")
    func beforeTheShutdown() throws {
      let signal = Signal(rawValue: 60)
      for _ in 0..<20 {
        let dispatcher = try UVDispatcher()
        let delivered = Box(0)
        try dispatcher.onSignal(signal) { deliveries in delivered.change { $0 += deliveries } }
        try dispatcher.start()
        dispatcher.waitUntil { $0.loopThread.isClaimed && $0.loop.mustBeTold }
        deliver(signal)
        dispatcher.end()
        #expect(delivered.value == 1)
      }
    }

    @Test("that comes while a shutdown cancels is told, and may end it at once")
    func whileItCancels() throws {
      let signal = Signal(rawValue: 39)
      let dispatcher = try UVDispatcher()
      let pipe = Pipe()
      let delivered = Box([String]())
      let first = Latch()
      try dispatcher.onSignal(signal) { _ in
        delivered.change { $0.append("signal") }
        // A call for the descriptor would come after this one and before the next.
        if first.isOpen { dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero)) }
        first.open()
      }
      try dispatcher.onReady(pipe.readEnd, for: .readable) { _ in
        delivered.change { $0.append("descriptor") }
      }
      try dispatcher.start()
      let gate = holdWorker(of: dispatcher)
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(3600)))
      dispatcher.waitUntil { $0.closing.progress?.phase == .cancelling }
      pipe.write()
      deliver(signal)
      #expect(first.wait(patience))
      deliver(signal)
      dispatcher.waitUntil { $0.closing.report != nil }
      #expect(delivered.value == ["signal", "signal"])
      #expect(dispatcher.report?.unfinished.map(\.state) == [.abandoned])
      gate.open()
    }

    @Test("that comes when a shutdown has given up is told to no handler, and ends no process")
    func whenItHasGivenUp() throws {
      let signal = Signal(rawValue: 39)
      let dispatcher = try UVDispatcher()
      let delivered = Box(false)
      try dispatcher.onSignal(signal) { _ in delivered.value = true }
      try dispatcher.start()
      let gate = holdWorker(of: dispatcher)
      // The cancel phase does not abandon a job of a Task, so this job holds up the end.
      Task(executorPreference: dispatcher.foreground.executor) {
        dispatcher.beginShutdown(.init(drain: .zero, cancel: .zero))
        deliver(signal)
      }
      dispatcher.waitUntil { $0.closing.report != nil }
      #expect(!delivered.value)
      gate.open()
    }

    /// Runs a body in the background, which the returned latch holds until it is opened.
    private func holdWorker(of dispatcher: UVDispatcher) -> Latch {
      let (isHeld, gate) = (Latch(), Latch())
      dispatcher.background {
        isHeld.open()
        gate.hold(patience)
      }
      #expect(isHeld.wait(patience))
      return gate
    }
  }
}
