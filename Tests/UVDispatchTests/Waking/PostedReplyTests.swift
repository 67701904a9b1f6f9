import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

@testable import UVDispatch

extension OnePool {
  /// Without an observer and a limit, a reply that has no label comes in as a plain body does.
  @Suite("A reply")
  struct PostedReplyTests {
    @Test("wakes the loop, and comes in the order in which its bodies ended")
    func wakes() throws {
      let dispatcher = try UVDispatcher(.init(backgroundWidth: 1))
      try dispatcher.start()
      let numbers = Box<[Int]>([])
      for round in 0..<20 {
        let ended = Latch(3)
        for number in 0..<3 {
          dispatcher.background.async {
            round * 3 + number
          } then: { result in
            dispatcher.foreground.preconditionIsCurrent()
            numbers.change { $0.append((try? result.get()) ?? -1) }
            ended.open()
          }
        }
        #expect(ended.wait(patience))
        // The next round begins when nothing runs, so its replies may find the loop asleep.
        dispatcher.waitUntil { $0.accounts.ledger.running == 0 }
      }
      #expect(numbers.value == Array(0..<60))
      dispatcher.end()
    }

    @Test("counts against no limit", arguments: [nil, "labelled"])
    func unlimited(label: String?) throws {
      let dispatcher = try UVDispatcher(.init(overflow: .reject(limit: 1)))
      try dispatcher.start()
      let (isHeld, gate, replied) = (Latch(), Latch(), Latch())
      dispatcher.foreground {
        isHeld.open()
        gate.hold(patience)
      }
      #expect(isHeld.wait(patience))
      #expect(dispatcher.foreground {} == .accepted)
      #expect(dispatcher.foreground {} == .refused(.limitReached))

      dispatcher.background.async(label: label, { 1 }, then: { _ in replied.open() })

      dispatcher.waitUntil { $0.accounts.ledger.completed == 1 }
      #expect(!replied.isOpen)
      #expect(dispatcher.ledger.refused == 1)
      gate.open()
      #expect(replied.wait(patience))
      dispatcher.end()
    }

    @Test("is drained by a shutdown with the body that it follows", arguments: [nil, "labelled"])
    func drained(label: String?) async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let (isRunning, gate, replied) = (Latch(), Latch(), Latch())
      dispatcher.background.async(label: label) {
        isRunning.open()
        return gate.wait(patience)
      } then: { _ in
        replied.open()
      }
      await onOtherThread { #expect(isRunning.wait(patience)) }

      dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(3600)))
      gate.open()
      let report = await dispatcher.shutdown()

      #expect(replied.isOpen)
      #expect(report.unfinished.isEmpty)
      #expect(report.ledger.completed == 2)
    }

    @Test("that never comes is let go of with its body", arguments: [nil, "labelled"])
    func released(label: String?) async throws {
      let dispatcher = try UVDispatcher()
      let view = dispatcher.makeQueue(label: "held", width: 1)
      view.suspend()
      let released = Latch(2)
      view.async(label: label, body(releasing: released), then: reply(releasing: released))
      try dispatcher.start()

      let report = await dispatcher.shutdown(ShutdownPolicy(drain: .zero, cancel: .zero))

      #expect(released.isOpen)
      #expect(report.unfinished.map(\.label) == [label])
      #expect(report.ledger.cancelled == 1)
    }

    private func reply(releasing latch: Latch) -> @Sendable (Result<Void, any Error>) -> Void {
      let body = body(releasing: latch)
      return { _ in body() }
    }
  }

  @Suite("A body that was given up")
  struct GivenUpBodyTests {
    private final class Made: Sendable {}
    private struct Torn: Error {}

    @Test("may still make a value or throw, which no caller gets", arguments: [false, true])
    func value(fails: Bool) async throws {
      let dispatcher = try UVDispatcher()
      try dispatcher.start()
      let (isRunning, gate, isOver) = (Latch(), Latch(), Latch())
      let made = Box<Weak?>(nil)
      var handle: TaskHandle<Made>? = dispatcher.background.submit {
        defer { isOver.open() }
        isRunning.open()
        gate.hold(patience)
        if fails { throw Torn() }
        let object = Made()
        made.change { $0 = Weak(object) }
        return object
      }
      await onOtherThread { #expect(isRunning.wait(patience)) }
      let report = await dispatcher.shutdown(ShutdownPolicy(drain: .zero, cancel: .zero))
      #expect(report.ledger.abandoned == 1)
      #expect(handle?.outcomeIfFinished == .abandoned)

      // Another thread asks for the outcome while the body makes the value.
      let asked = handle
      let asker = OtherThread {
        while !isOver.isOpen { #expect(asked?.outcomeIfFinished == .abandoned) }
      }
      gate.open()
      await onOtherThread { #expect(isOver.wait(patience)) }
      #expect(asker.join())

      #expect(handle?.outcomeIfFinished == .abandoned)
      await #expect(throws: NoValue.self) { _ = try await handle?.value }
      handle = nil
    }

    private final class Weak: Sendable {
      private weak let object: Made?
      init(_ object: Made) { self.object = object }
    }
  }
}
