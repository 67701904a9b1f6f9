import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

/// A task that submits itself, or two that submit each other, for a while or for ever.
@Suite("An exploration of a chain of tasks")
struct ChainTests {
  private struct Broken: Error {}

  private func run(
    _ dispatcher: RecordingDispatcher, labels: [String], _ count: Int, last: () -> Void = {}
  ) throws {
    let left = Slot<Int>()
    left.value = count
    @Sendable func submit() {
      let number = count - left.value!
      dispatcher.foreground.async(label: labels[number % labels.count]) {
        left.value! -= 1
        if left.value! > 0 { submit() }
      }
    }
    submit()
    last()
    try dispatcher.runUntilIdle()
  }

  /// If each task cost more than the one before, the longest chain would take hours.
  @Test(
    "costs each of them the same", arguments: [1_000, 16_000],
    [["poll"], ["ping", "pong"]])
  func longChains(count: Int, labels: [String]) throws {
    let result = try explore(configuration: .init(stepLimit: 100_000)) { dispatcher in
      try run(dispatcher, labels: labels, count)
      return dispatcher.ledger.completed
    }

    #expect(result.outcomes == [count])
    #expect(result.isExhausted)
  }

  @Test("that never ends is said to be one, by a name that a person can read")
  func endless() throws {
    for (labels, name) in [(["poll"], #""poll""#), (["ping", "pong"], #""ping""#)] {
      let failure = try #require(throws: ScheduleFailure.self) {
        _ = try explore { dispatcher in
          dispatcher.background.async(label: "other") {}
          try run(dispatcher, labels: labels, .max)
          return 0
        }
      }
      #expect(failure.reason.contains("gave up after 10000 steps"), "\(failure)")
      #expect(failure.reason.contains(name))
      #expect("\(failure)".count < 6_000, "\(failure)")
    }
  }

  @Test("names a task in it by how far it has come, and finds it again by that")
  func names() throws {
    let scenario: (RecordingDispatcher) throws -> Int = { dispatcher in
      let seen = Log()
      try run(dispatcher, labels: ["poll"], 200) {
        dispatcher.background.async(label: "reads") { seen.note("\(dispatcher.ledger.completed)") }
      }
      if seen.all == ["7"] { throw Broken() }
      return 0
    }
    let failure = try #require(throws: ScheduleFailure.self) { _ = try explore(scenario) }

    #expect(failure.facts.map(\.description) == [#""reads" waits for "poll" × 7"#], "\(failure)")
    #expect(failure.token == "facts1:reads~poll*7")
    let again = #expect(throws: ScheduleFailure.self) {
      _ = try explore(replaying: failure.token, scenario)
    }
    #expect(again?.reason == failure.reason)
  }

  @Test("is shown short, whatever it is made of")
  func shown() throws {
    var path: TaskPath?
    for number in 0..<200 { path = TaskPath(number % 2 == 0 ? "ping" : "pong", under: path) }
    #expect(
      path?.description
        == #"(194 before) / "ping" / "pong" / "ping" / "pong" / "ping" / "pong""#)
    for _ in 0..<50 { path = TaskPath("tail", under: path) }
    #expect(
      path?.description
        == #"(195 before) / "pong" / "ping" / "pong" / "ping" / "pong" / "tail" × 50"#)
    #expect(path.map { TaskPath(text: $0.text) } == path)
    #expect(TaskPath(text: "a*3/b").text == "a*3/b")
    #expect(TaskPath(text: "a*3") == TaskPath(text: "a/a/a"))
    #expect(TaskPath(text: "a*3") != TaskPath(text: "a/a"))
    for text in ["a*", "a*1", "a*x", "a*2*2", "*", "a*99999999999", "a*-2"] {
      #expect(!TaskPath.isValid(text), "\(text)")
    }
  }
}
