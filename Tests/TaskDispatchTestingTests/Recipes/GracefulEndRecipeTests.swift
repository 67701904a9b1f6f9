import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/GracefulEnd.md shows the type and the first two tests.
@Suite("A service that ends on SIGTERM")
struct GracefulEndRecipeTests {
  /// Counts words on workers, and writes the counts out when it ends.
  final class WordCounter: Sendable {
    private let dispatcher: any EventDispatcher
    private let counts: Confined<[String: Int]>

    init(dispatcher: any EventDispatcher) {
      self.dispatcher = dispatcher
      counts = Confined([:], to: dispatcher.foreground)
    }

    /// Ends on SIGTERM, and hands what was counted to `save` once nothing changes it any more.
    func endOnSignal(save: @escaping @Sendable ([String: Int]) -> Void) throws {
      try dispatcher.onSignal(.terminate) { [dispatcher, counts] _ in
        Task(executorPreference: dispatcher.foreground.executor) {
          let report = await dispatcher.shutdown(.init(drain: .seconds(10), cancel: .seconds(5)))
          for left in report.unfinished { print("left: \(left)") }
          save(counts.takeValue())
        }
      }
    }

    func count(_ text: String) {
      dispatcher.background.async(label: "count") { [dispatcher, counts] in
        let words = text.split(separator: " ").map(String.init)
        dispatcher.foreground.async(label: "keep") {
          counts.withValue { for word in words { $0[word, default: 0] += 1 } }
        }
      }
    }
  }

  @Test("counts what it was given before the signal, and saves it once, at the end")
  func savesWhatItCounted() throws {
    let dispatcher = RecordingDispatcher()
    let counter = WordCounter(dispatcher: dispatcher)
    let saved = Slot<[String: Int]>()
    try counter.endOnSignal { saved.value = $0 }
    counter.count("to be or not to be")

    try dispatcher.raise(.terminate)
    try dispatcher.runNextForegroundTask()  // the signal's handler
    #expect(saved.value == nil)
    try dispatcher.runUntilIdle()

    #expect(saved.value == ["to": 2, "be": 2, "or": 1, "not": 1])
    #expect(dispatcher.report?.unfinished == [])
    try dispatcher.finish()
  }

  @Test("refuses what comes after the signal")
  func refusesLateWork() throws {
    let dispatcher = RecordingDispatcher()
    let counter = WordCounter(dispatcher: dispatcher)
    let saved = Slot<[String: Int]>()
    try counter.endOnSignal { saved.value = $0 }

    try dispatcher.raise(.terminate)
    try dispatcher.runUntilIdle()
    counter.count("too late")
    try dispatcher.runUntilIdle()

    #expect(saved.value == [:])
    #expect(dispatcher.ledger.refused == 1)
    try dispatcher.finish()
  }

  @Test("can be awaited in a test: every resumption is a step of runAsync")
  func asynchronousTest() async throws {
    let dispatcher = RecordingDispatcher()
    let words = try dispatcher.runAsync(movingTime: true) {
      try await dispatcher.clock.sleep(for: .seconds(1))
      return try await dispatcher.background.run { "to be".split(separator: " ").count }
    }

    #expect(words == 2)
    #expect(dispatcher.now.sinceStart == .seconds(1))
    try dispatcher.finish()
  }
}
