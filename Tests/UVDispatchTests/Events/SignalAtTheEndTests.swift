import Glibc
import TaskDispatch
import Testing

@testable import TaskDispatchTesting
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
        _ = gate.wait(patience)
      }
      dispatcher.beginShutdown(.init(drain: .seconds(3600)))

      #expect(throws: EventRefusal.shutDown) { try dispatcher.onSignal(.terminate) { _ in } }
      #expect(called.wait(patience))

      gate.open()
      dispatcher.end()
      #expect(!registration.isCancelled)
      #expect(dispatcher.withCore { !$0.awaitsEvents })
    }

    @Test("that came before a shutdown is told, whoever begins it")
    func beforeTheShutdown() throws {
      let signal = Signal(rawValue: 60)
      for _ in 0..<20 {
        let dispatcher = try UVDispatcher()
        let told = Box(0)
        try dispatcher.onSignal(signal) { deliveries in told.change { $0 += deliveries } }
        try dispatcher.start()
        dispatcher.waitUntil { $0.loopRuns && !$0.turnIsDue }
        deliver(signal)
        dispatcher.end()
        #expect(told.value == 1)
      }
    }

    @Test("that comes when a shutdown cancels is told to nobody, and ends no process")
    func whileItCancels() throws {
      let signal = Signal(rawValue: 39)
      let dispatcher = try UVDispatcher()
      let told = Box(false)
      try dispatcher.onSignal(signal) { _ in told.value = true }
      try dispatcher.start()
      let (isHeld, gate) = (Latch(), Latch())
      dispatcher.background {
        isHeld.open()
        _ = gate.wait(patience)
      }
      #expect(isHeld.wait(patience))
      dispatcher.beginShutdown(.init(drain: .zero, cancel: .seconds(3600)))
      dispatcher.waitUntil { $0.shutdown?.phase == .cancelling }
      deliver(signal)
      gate.open()
      dispatcher.end()
      #expect(!told.value)
      #expect(dispatcher.report?.unfinished.isEmpty == true)
    }
  }
}
