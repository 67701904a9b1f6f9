import TaskDispatch
import TaskDispatchTesting
import TestSupport
import Testing

/// Documentation/Exploration.md shows the types and the tests.
@Suite("The page about exploration")
struct ExplorationPageTests {
  /// Shows the answer to what was typed last. Or so it should.
  final class HastySearch: Sendable {
    private let dispatcher: any TaskDispatcher
    private let answer: Confined<String>

    init(dispatcher: any TaskDispatcher) {
      self.dispatcher = dispatcher
      answer = Confined("", to: dispatcher.foreground)
    }

    var shown: String { answer.withValue { $0 } }

    /// On the foreground.
    func type(_ query: String) {
      dispatcher.background.async(label: "fetch") { [dispatcher, answer] in
        let text = "answer to \(query)"
        dispatcher.foreground.async(label: "show") { answer.withValue { $0 = text } }
      }
    }
  }

  /// Shows the answer to what was typed last.
  final class Search: Sendable {
    private struct Screen {
      var query = ""
      var answer = ""
    }

    private let dispatcher: any TaskDispatcher
    private let screen: Confined<Screen>

    init(dispatcher: any TaskDispatcher) {
      self.dispatcher = dispatcher
      screen = Confined(Screen(), to: dispatcher.foreground)
    }

    var shown: String { screen.withValue { $0.answer } }

    /// On the foreground.
    func type(_ query: String) {
      screen.withValue { $0.query = query }
      dispatcher.background.async(label: "fetch") { [dispatcher, screen] in
        let text = "answer to \(query)"
        dispatcher.foreground.async(label: "show") {
          screen.withValue { if $0.query == query { $0.answer = text } }
        }
      }
    }
  }

  @Test("shows what an exploration says of the hasty search")
  func hasty() throws {
    let said = #expect(throws: UnexpectedOutcomes.self) {
      let result = try explore { dispatcher in
        let search = HastySearch(dispatcher: dispatcher)
        for query in ["s", "swift"] {
          dispatcher.foreground.async(label: "type \(query)") { search.type(query) }
        }
        try dispatcher.runUntilIdle()
        return search.shown
      }
      try result.requireOutcomes(["answer to swift"])
    }

    let page = try Page("Documentation/Exploration.md")
    #expect(page.blocks(of: "text").map(\.text) == [said?.description ?? ""])
  }

  @Test("shows the answer to the last query in every order")
  func mended() throws {
    let result = try explore(.exhaustive) { dispatcher in
      let search = Search(dispatcher: dispatcher)
      for query in ["s", "swift"] {
        dispatcher.foreground.async(label: "type \(query)") { search.type(query) }
      }
      try dispatcher.runUntilIdle()
      return search.shown
    }

    #expect(result.outcomes == ["answer to swift"])
    #expect(result.isExhausted)
  }

  @Test("an order that production has seen is tried again")
  func fromProduction() throws {
    let history = try recordedElsewhere()

    let result = try explore(replaying: scheduleToken(of: history)) { dispatcher in
      let search = HastySearch(dispatcher: dispatcher)
      for query in ["s", "swift"] {
        dispatcher.foreground.async(label: "type \(query)") { search.type(query) }
      }
      try dispatcher.runUntilIdle()
      return search.shown
    }

    #expect(result.outcomes == ["answer to s"])
  }

  @Test("orders that differ in nothing that two tasks share are one")
  func resources() throws {
    let result = try explore(
      .exhaustive, configuration: .init(width: 4), resources: .init { $0.label.map { [$0] } }
    ) { dispatcher in
      let files = FileList()
      for name in ["a", "b", "c", "a"] {
        dispatcher.background.async(label: name) { files.rewrite(name) }
      }
      try dispatcher.runUntilIdle()
      return files.versions
    }

    #expect(result.outcomes == [["a": 2, "b": 1, "c": 1]])
    #expect(result.ordersSeen == 2)
    #expect(result.isExhausted)
  }

  private final class FileList: Sendable {
    private let list = Locked<[String: Int]>([:])
    func rewrite(_ name: String) { list.withLock { $0[name, default: 0] += 1 } }
    var versions: [String: Int] { list.withLock { $0 } }
  }

  /// The events that an observer sees where the second fetch was faster.
  private func recordedElsewhere() throws -> [TaskEvent] {
    let dispatcher = RecordingDispatcher()
    let search = HastySearch(dispatcher: dispatcher)
    for query in ["s", "swift"] {
      dispatcher.foreground.async(label: "type \(query)") { search.type(query) }
    }
    try dispatcher.runForegroundUntilIdle()
    let second = try #require(dispatcher.pendingTasks.last { $0.task.label == "fetch" })
    try dispatcher.runTask(second.task.id)
    try dispatcher.runUntilIdle()
    try dispatcher.finish()
    return dispatcher.history
  }

  @Test("shows code that the build compiles, and tests that are run")
  func shows() throws {
    let page = try Page("Documentation/Exploration.md")
    let snippet = try PackageFile.text("Snippets/Exploration.swift")
    let tests = try PackageFile.text(
      "Tests/TaskDispatchTestingTests/Exploration/ExplorationPageTests.swift")
    let blocks = page.blocks(of: "swift")
    #expect(blocks.count >= 4)
    for block in blocks {
      #expect(tests.shows(block.text), "not in the tests: \(block)")
      if block.heading.hasPrefix("The code") {
        #expect(snippet.shows(block.text), "not in the snippet: \(block)")
      }
    }
  }
}
