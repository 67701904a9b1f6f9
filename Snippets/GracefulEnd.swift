// A service that ends on SIGTERM: it drains, looks at the report, and writes out what it kept.
import TaskDispatch
import TaskDispatchTesting

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

let dispatcher = RecordingDispatcher()
let counter = WordCounter(dispatcher: dispatcher)
try counter.endOnSignal { print("saved: \($0.sorted { $0.key < $1.key }.map { "\($0) \($1)" })") }
counter.count("to be or not to be")

try dispatcher.raise(.terminate)
try dispatcher.runUntilIdle()
try dispatcher.finish()
