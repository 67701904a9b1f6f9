import Glibc
import TaskDispatch
import TaskDispatchTesting
import Testing

@testable import UVDispatch

extension OnePool {
  @Suite("The sequence of a signal's deliveries")
  struct SignalSequenceTests {
    @Test("has every delivery since it was made, and ends with the shutdown")
    func everyDelivery() async throws {
      let signal = Signal(rawValue: 56)
      let dispatcher = try UVDispatcher()
      let deliveries = try dispatcher.signals(signal)
      deliver(signal, times: 3)
      try dispatcher.start()
      deliver(signal, times: 4)

      var seen = 0
      for await more in deliveries {
        #expect(more > 0)
        seen += more
        if seen == 7 { dispatcher.beginShutdown() }
      }

      #expect(seen == 7)
      dispatcher.waitUntil { $0.loop.isOver }
      #expect(Disposition.of(signal) == .standard)
    }

    @Test("ends when the Task that awaits it is cancelled, and so does the handler")
    func cancelled() async throws {
      let signal = Signal(rawValue: 57)
      let dispatcher = try UVDispatcher()
      let deliveries = try dispatcher.signals(signal)
      let task = Task {
        for await _ in deliveries {}
      }
      task.cancel()
      await task.value
      #expect(Disposition.of(signal) == .standard)
      #expect(dispatcher.engine.withCore { !$0.awaitsEvents })
    }

    @Test("removes its handler when it is let go of, and holds no dispatcher then")
    func letGo() throws {
      let signal = Signal(rawValue: 58)
      weak var dispatcher: UVDispatcher?
      do {
        let dropped = try UVDispatcher()
        dispatcher = dropped
        var deliveries: SignalSequence? = try dropped.signals(signal)
        #expect(deliveries != nil)
        #expect(Disposition.of(signal) != .standard)
        deliveries = nil
        #expect(Disposition.of(signal) == .standard)
      }
      #expect(dispatcher == nil)
    }

    @Test("of a signal that cannot be handled is refused")
    func refused() throws {
      let dispatcher = try UVDispatcher()
      #expect(throws: EventRefusal.cannotBeHandled(.kill)) { try dispatcher.signals(.kill) }
    }
  }
}
