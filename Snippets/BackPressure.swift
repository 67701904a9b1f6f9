// Queues that are full in three ways: refuse, wait, expire.
import TaskDispatch
import TaskDispatchTesting

/// Three kinds of work, each with a queue of its own that fills up in its own way.
final class Intake: Sendable {
  private let requests: TaskQueue
  private let rows: TaskQueue
  private let readings: TaskQueue

  init(_ dispatcher: any TaskDispatcher) {
    requests = dispatcher.makeQueue(
      QueueOptions(label: "requests", width: 2, overflow: .reject(limit: 3)))
    rows = dispatcher.makeQueue(
      QueueOptions(label: "rows", width: 1, overflow: .reject(limit: 1)))
    readings = dispatcher.makeQueue(QueueOptions(label: "readings"))
  }

  /// Whether the request was taken in. A client that is told no at once can come again, or go elsewhere.
  func serve(_ answer: @escaping @Sendable () -> Void) -> Bool { requests(answer) == .accepted }

  /// Goes on when the row is stored. So a file is read no faster than its rows are stored.
  func store(_ row: @escaping @Sendable () -> Void) async throws { try await rows.run { row() } }

  /// A reading that has waited for a second is worth nothing any more.
  func show(_ reading: @escaping @Sendable () -> Void) {
    readings.async(timeToLive: .seconds(1), reading)
  }
}

let dispatcher = RecordingDispatcher()
let intake = Intake(dispatcher)
let answers = (1...5).map { number in intake.serve { print("request \(number)") } }
print("accepted: \(answers)")
try dispatcher.runUntilIdle()
try dispatcher.finish()
