import TaskDispatch
import TaskDispatchTesting
import Testing

/// Documentation/BackPressure.md shows the type and the tests.
@Suite("Queues that are full in three ways")
struct BackPressureRecipeTests {
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

  @Test("a request is refused while three wait, and accepted again once one has begun")
  func refuses() throws {
    let dispatcher = RecordingDispatcher()
    let (intake, log) = (Intake(dispatcher), Log())

    let answers = (1...5).map { number in intake.serve { log.note("\(number)") } }
    #expect(answers == [true, true, true, false, false])

    try dispatcher.runNextBackgroundTask()
    #expect(intake.serve { log.note("again") })
    try dispatcher.runUntilIdle()
    #expect(log.all == ["1", "2", "3", "again"])
    try dispatcher.finish()
  }

  @Test("two readers store all rows, and none is refused")
  func waits() throws {
    let result = try explore { dispatcher in
      let (intake, log) = (Intake(dispatcher), Log())
      for file in ["a", "b"] {
        Task(executorPreference: dispatcher.foreground.executor) {
          for number in 1...2 { try? await intake.store { log.note("\(file)\(number)") } }
        }
      }
      try dispatcher.runUntilIdle()
      return "\(log.all.count) rows, \(dispatcher.ledger.refused) refused"
    }

    try result.requireOutcomes(["4 rows, 0 refused"])
  }

  @Test("a reading that has waited for too long is not shown")
  func expires() throws {
    let dispatcher = RecordingDispatcher()
    let (intake, log) = (Intake(dispatcher), Log())
    dispatcher.foreground.after(.milliseconds(1_500)) { intake.show { log.note("new") } }
    intake.show { log.note("old") }

    // For two seconds no worker is free.
    try dispatcher.advanceTime(by: .seconds(2), driving: .loop)
    try dispatcher.runUntilIdle()
    #expect(log.all == ["new"])
    try dispatcher.finish()
  }
}
