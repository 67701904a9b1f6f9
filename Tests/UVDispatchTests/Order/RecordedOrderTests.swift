import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing
import UVDispatch

extension OnePool {
  @Suite("A history of threads")
  struct RecordedOrderTests {
    /// Keeps the events in the order of the calls.
    final class Recorder: TaskObserver {
      private let events = Box([TaskEvent]())

      var history: [TaskEvent] { events.value }

      func observe(_ event: TaskEvent) { events.change { $0.append(event) } }
    }

    /// Asks twice, and keeps the answer that came last.
    private func ask(
      on dispatcher: some TaskDispatcher, keeping kept: Box<String>,
      _ answer: @escaping @Sendable (String) -> String
    ) {
      for question in ["first", "second"] {
        dispatcher.foreground.async(label: "ask \(question)") {
          dispatcher.background.async(label: "answer") {
            let text = answer(question)
            dispatcher.foreground.async(label: "keep") { kept.value = text }
          }
        }
      }
    }

    @Test("is had again on one thread", arguments: ["first", "second"])
    func replays(slow: String) throws {
      let recorder = Recorder()
      let real = try UVDispatcher(.init(backgroundWidth: 2, observer: recorder))
      let kept = Box("")
      let other = Latch()
      ask(on: real, keeping: kept) { question in
        // The slow body goes on when the other one has ended.
        if question == slow { other.hold(patience) }
        return question
      }
      let watcher = OtherThread {
        while kept.value.isEmpty {}
        other.open()
      }
      real.runUntilIdle()
      #expect(watcher.join())
      #expect(kept.value == slow)

      let token = scheduleToken(of: recorder.history)
      let result = try explore(configuration: .init(width: 2), replaying: token) { dispatcher in
        let kept = Box("")
        ask(on: dispatcher, keeping: kept) { $0 }
        try dispatcher.runUntilIdle()
        return kept.value
      }

      #expect(result.outcomes == [slow])
    }
  }
}
