import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

/// Each of these bugs ends a process, so it runs in a process of its own. Errors are dropped in there, so that
/// only a trap can end it badly.
@Suite("The page of failure messages, for bugs that end the process")
struct FailureMessageTrapTests {
  static let headings = [
    "Confined state is touched elsewhere", "Confined state needs a queue of width 1",
    "Code runs on the wrong queue", "No dispatcher is current", "A queue of width 0",
    "A background of width 0", "A limit of 0", "A timer repeats without an interval",
    "The foreground cannot be suspended", "A queue is resumed once too often",
  ]

  @Test("shows what a confined value says on another queue")
  func confinedElsewhere() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dispatcher = RecordingDispatcher()
      let digests = Confined([String](), to: dispatcher.foreground)
      dispatcher.background.async(label: "hash", fileID: "App/Importer.swift", line: 31) {
        digests.withValue(fileID: "App/Importer.swift", line: 33) { $0.append("c0ffee") }
      }
      _ = try? dispatcher.runNextBackgroundTask()
    }

    try expectPage(shows: result, under: "Confined state is touched elsewhere")
  }

  @Test("shows what a confined value says of a queue that runs several tasks at a time")
  func confinedToAWideQueue() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dispatcher = RecordingDispatcher()
      _ = Confined(0, to: dispatcher.makeQueue(label: "flags", width: 4))
    }

    try expectPage(shows: result, under: "Confined state needs a queue of width 1")
  }

  @Test("shows what a check of the queue says on another one")
  func wrongQueue() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dispatcher = RecordingDispatcher()
      dispatcher.background(fileID: "App/Importer.swift", line: 31) {
        dispatcher.preconditionForeground(fileID: "App/Screen.swift", line: 9)
      }
      _ = try? dispatcher.runNextBackgroundTask()
    }

    try expectPage(shows: result, under: "Code runs on the wrong queue")
  }

  @Test("shows what is said when no dispatcher was set")
  func noDispatcher() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Dispatchers.current
    }

    try expectPage(shows: result, under: "No dispatcher is current")
  }

  @Test("shows what is said of a queue of width 0")
  func queueOfWidthZero() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RecordingDispatcher().makeQueue(label: "uploads", width: 0)
    }

    try expectPage(shows: result, under: "A queue of width 0")
  }

  @Test("shows what is said of a background of width 0")
  func backgroundOfWidthZero() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RecordingDispatcher(.init(width: 0))
    }

    try expectPage(shows: result, under: "A background of width 0")
  }

  @Test("shows what is said of a limit of 0")
  func limitOfZero() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RecordingDispatcher(.init(overflow: .reject(limit: 0)))
    }

    try expectPage(shows: result, under: "A limit of 0")
  }

  @Test("shows what is said of a timer that would repeat at once for ever")
  func repeatsWithoutInterval() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RecordingDispatcher().foreground.every(.zero) {}
    }

    try expectPage(shows: result, under: "A timer repeats without an interval")
  }

  @Test("shows what is said when a test suspends the foreground")
  func suspendedForeground() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RecordingDispatcher().foreground.suspend()
    }

    try expectPage(shows: result, under: "The foreground cannot be suspended")
  }

  @Test("shows what is said of a resume without a suspend")
  func resumedTooOften() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      RecordingDispatcher().makeQueue(label: "uploads", width: 1).resume()
    }

    try expectPage(shows: result, under: "A queue is resumed once too often")
  }

  /// Before the message the runtime prints a place in this package, which says nothing to a reader; after the
  /// message it prints the backtrace.
  private func expectPage(
    shows result: ExitTest.Result?, under heading: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = printed.split(separator: "\n").filter { $0.contains("Fatal error: ") }
    let message = try #require(lines.first, "it printed: \(printed)", sourceLocation: location)
    let text = message[message.firstRange(of: "Fatal error: ")!.upperBound...]
    try FailureMessage.expectPage(shows: String(text), under: heading, at: location)
  }
}
