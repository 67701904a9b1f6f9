import Foundation
import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

@Suite("A file of schedules that have failed")
struct RegressionTests {
  private let path = NSTemporaryDirectory() + "/orders-\(UUID().uuidString).txt"

  struct Overtaken: Error {}

  private func explored(
    _ strategy: ExplorationStrategy = .bounded(deviations: 2), isMended: Bool = false,
    failures: FailureHandling = .thrown
  ) throws -> Exploration<Int> {
    try explore(strategy, failures: failures, regressions: path) { dispatcher in
      let log = Log()
      for name in ["one", "two"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      if log.all == ["two", "one"], !isMended { throw Overtaken() }
      return 0
    }
  }

  private var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  @Test("is made when one fails, and holds its token and why")
  func isMade() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let failure = #expect(throws: ScheduleFailure.self) { try explored() }

    #expect(text == "# Overtaken()\n\(failure?.token ?? "")\n")
  }

  @Test("finds again what only a shutdown's deadline brings to light", arguments: 1...2)
  func deadlineOfAShutdown(deadline: Int) throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    struct NeverRan: Error {}
    @Sendable func scenario(_ dispatcher: RecordingDispatcher) throws -> Int {
      let log = Log()
      dispatcher.background.async(label: "work") {
        log.note("work")
        dispatcher.background.async(label: "more") { log.note("more") }
      }
      dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(1), cancel: .seconds(1)))
      try dispatcher.advanceTime(by: .seconds(5))
      if log.all.count < deadline { throw NeverRan() }
      return log.all.count
    }

    let first = #expect(throws: ScheduleFailure.self) {
      try explore(failures: .thrown, regressions: path, scenario)
    }
    let before = text
    let second = #expect(throws: ScheduleFailure.self) {
      try explore(failures: .thrown, regressions: path, scenario)
    }
    #expect(second?.token == first?.token && second?.reason == "NeverRan()")
    #expect(first?.token.contains("deadline%20of%20the%20shutdown") == true)
    #expect(text == before)
  }

  @Test("is run first, and what fails in it is not written again")
  func isRunFirst() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: ScheduleFailure.self) { try explored() }
    let before = text

    let failure = #expect(throws: ScheduleFailure.self) { try explored() }

    // The stored token is run first, although the strategy would come to that order second.
    #expect(failure?.schedulesRun == 1)
    #expect(text == before)
  }

  @Test("that fails no more is passed by")
  func passes() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: ScheduleFailure.self) { try explored() }

    let result = try explored(isMended: true)

    #expect(result.outcomes == [0])
    #expect(result.schedulesRun == 3)
  }

  @Test("holds the orders that came to what was not wanted, each once")
  func unwantedOutcomes() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    func explored() throws -> Exploration<[String]> {
      try explore(.exhaustive, regressions: path) { dispatcher in
        let log = Log()
        for name in ["one", "two"] { dispatcher.background.async(label: name) { log.note(name) } }
        try dispatcher.runUntilIdle()
        return log.all
      }
    }
    let result = try explored()
    #expect(text == "")
    try result.requireOutcomes([["one", "two"], ["two", "one"]])
    #expect(text == "")

    #expect(throws: UnexpectedOutcomes.self) { try result.requireOutcomes([["one", "two"]]) }
    let kept = """
      # ["two", "one"]
      facts1:one~two

      """
    #expect(text == kept)
    #expect(throws: UnexpectedOutcomes.self) { try explored().requireAlwaysSame() }
    #expect(throws: UnexpectedOutcomes.self) {
      try explored().requireNone { $0.first == "two" }
    }
    #expect(text == kept)
    #expect(try explored().schedulesRun == 3)
  }

  @Test("with a line that is no token says which line, and what is wrong with it")
  func badLine() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "# a remark\n\nfacts1:one\n".write(toFile: path, atomically: true, encoding: .utf8)

    let error = #expect(throws: ExplorationError.self) { try explored(isMended: true) }

    let said = error.map { "\($0)" } ?? ""
    #expect(said.contains("\(path):3"))
    #expect(said.contains("\"one\" is no fact"))
  }

  @Test("with a task that is gone says which, and where it stands")
  func diverged() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "facts1:one~three\n".write(toFile: path, atomically: true, encoding: .utf8)

    let error = #expect(throws: ExplorationError.self) { try explored(isMended: true) }

    let said = error.map { "\($0)" } ?? ""
    #expect(said.contains("\(path):1"))
    #expect(said.contains("\"three\""))
  }

  @Test("stands beside the test, unless its path begins at the root")
  func besideTheTest() {
    func path(of name: String) -> String? {
      Regressions(name, beside: "/home/of/Tests/Some.swift").map { "\($0)" }
    }
    #expect(path(of: "Orders.txt")?.contains("\"/home/of/Tests/Orders.txt\"") == true)
    #expect(path(of: "/Orders.txt")?.contains("\"/Orders.txt\"") == true)
  }
}
