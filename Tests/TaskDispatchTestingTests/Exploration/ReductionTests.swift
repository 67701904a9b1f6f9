import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

@Suite("An exhaustive exploration with declared resources")
struct ReductionTests {
  /// The resources of a task, from its label: a letter for each, and `?` for a task that may touch anything.
  static var declared: DeclaredResources {
    DeclaredResources { task in
      guard let label = task.label, !label.contains("?") else { return nil }
      return Set(label.prefix { $0 != " " }.map { String($0) })
    }
  }

  /// Explores tasks of these labels. Each notes its name under the resources of its label.
  private func explored(
    _ labels: [String], isReduced: Bool = true
  ) throws -> Exploration<[String: [String]]> {
    let resources = isReduced ? Self.declared : nil
    return try explore(
      .exhaustive, configuration: .init(width: labels.count), resources: resources
    ) { dispatcher -> [String: [String]] in
      let notes = Notes()
      for label in labels { dispatcher.background.async(label: label) { notes.note(label) } }
      try dispatcher.runUntilIdle()
      return notes.all
    }
  }

  /// Some labels, and how many of their orders differ in what the tasks note.
  private static let countable = [
    (["a 1", "b 1", "c 1", "d 1", "e 1"], 1),
    (["a 1", "a 2", "b 1", "b 2"], 2 * 2),
    (["a 1", "a 2", "a 3"], 6),
    // "ab" comes first, or last, or between the other two, of which either may then come first.
    (["a 1", "b 1", "ab 1"], 1 + 1 + 2),
    (["a 1", "? 1", "b 1"], 1 + 1 + 2),
    (["a 1", "a 2", "b 1", "b 2", "c 1", "c 2"], 2 * 2 * 2),
  ]

  /// Of n! orders, only the order among the tasks of each resource counts.
  @Test(
    "tries one of all that differ only in tasks that have nothing in common",
    arguments: countable.indices)
  func counted(index: Int) throws {
    let (labels, orders) = Self.countable[index]

    let result = try explored(labels)

    #expect(result.ordersSeen == orders)
    #expect(result.schedulesRun == orders)
    #expect(result.isExhausted)
    #expect(try result.outcomes == explored(labels, isReduced: false).outcomes)
  }

  @Test("comes to what the exploration without them comes to", arguments: 0..<6)
  func sameOutcomes(part: Int) throws {
    var compared = 0
    var saved = 0
    for seed in (part * 15)..<(part * 15 + 15) {
      let program = DeclaredProgram(seed: seed)
      let all = try program.explored(reduced: false)
      guard all.isExhausted else { continue }
      let some = try program.explored(reduced: true)
      compared += 1
      saved += all.schedulesRun - some.schedulesRun
      #expect(some.isExhausted, "seed \(seed)")
      #expect(Set(some.outcomes) == Set(all.outcomes), "seed \(seed)")
      #expect(
        Set(some.failures.map(\.reason)) == Set(all.failures.map(\.reason)), "seed \(seed)")
      #expect(some.schedulesRun <= all.schedulesRun, "seed \(seed)")
    }
    #expect(compared >= 4, "\(compared)")
    #expect(saved > 0)
  }

  @Test("tries every order where a condition looks between any two of them")
  func condition() throws {
    let result = try explore(
      .exhaustive, configuration: .init(width: 2), resources: .init { _ in [] }
    ) { dispatcher -> [String] in
      let log = Log()
      for name in ["a", "b"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.run { log.all.contains("b") }
      let seen = log.all
      try dispatcher.runUntilIdle()
      return seen
    }

    #expect(result.outcomes == [["a", "b"], ["b"]])
  }

  /// Explores with and without declarations, expects both to come to the same outcomes, and returns the one
  /// with declarations.
  private func agreed(
    width: Int = 2, _ scenario: @escaping (RecordingDispatcher, Notes) throws -> Void
  ) throws -> Exploration<[String: [String]]> {
    func explored(_ resources: DeclaredResources?) throws
      -> Exploration<[String: [String]]>
    {
      try explore(.exhaustive, configuration: .init(width: width), resources: resources) {
        dispatcher -> [String: [String]] in
        let notes = Notes()
        try scenario(dispatcher, notes)
        try dispatcher.runUntilIdle()
        return notes.all
      }
    }
    let all = try explored(nil)
    let some = try explored(Self.declared)
    #expect(all.isExhausted && some.isExhausted)
    #expect(some.outcomes == all.outcomes)
    #expect(some.schedulesRun <= all.schedulesRun)
    return some
  }

  @Test("sees that two tasks submit to the same queue")
  func sameQueue() throws {
    let result = try agreed { dispatcher, notes in
      for name in ["a", "b"] {
        dispatcher.background.async(label: name) {
          dispatcher.foreground.async(label: "c \(name)") { notes.note("c \(name)") }
        }
      }
    }
    #expect(result.outcomes.count == 2)
  }

  @Test("sees that what a task submits overtakes a lower one, unless that has started")
  func overtaking() throws {
    let result = try agreed(width: 1) { dispatcher, notes in
      dispatcher.background.async(priority: .high, label: "b") {
        dispatcher.background.async(priority: .high, label: "c high") { notes.note("c high") }
      }
      dispatcher.foreground.async(label: "a") {
        dispatcher.background.async(label: "c medium") { notes.note("c medium") }
      }
      dispatcher.background.async(priority: .low, label: "c low") {
        notes.note("c low")
        dispatcher.foreground.async(label: "a last") {}
      }
    }
    #expect(result.outcomes.count == 2)
  }

  @Test("sees that two tasks set timers for the same time")
  func sameTime() throws {
    let result = try agreed { dispatcher, notes in
      for name in ["a", "b"] {
        dispatcher.background.async(label: name) {
          dispatcher.background.after(.zero, label: "c \(name)") { notes.note("c \(name)") }
        }
      }
    }
    #expect(result.outcomes.count == 2)
  }

  @Test("sees that a task does with one value what it does not do with another")
  func values() throws {
    let result = try agreed { dispatcher, notes in
      dispatcher.background.async(label: "a") {
        if dispatcher.choose([1, 2, 3], "submits") == 2 {
          dispatcher.foreground.async(label: "c a") { notes.note("c a") }
        }
      }
      dispatcher.background.async(label: "b") {
        dispatcher.foreground.async(label: "c b") { notes.note("c b") }
      }
    }
    #expect(result.outcomes.count == 3)
  }

  /// "second" waits behind "first". So to have "second" before "reader", the search tries everything else
  /// before "reader" as well. Some of those schedules turn out to be known, and there the false declaration
  /// comes out.
  @Test("says so if an order that should be known comes to something else")
  func lie() throws {
    let error = #expect(throws: ExplorationError.self) {
      _ = try explore(
        .exhaustive,
        configuration: .init(width: 2),
        resources: .init { ["liar": [], "first": ["y"]][$0.label ?? ""] ?? ["x"] }
      ) { dispatcher -> [String] in
        let log = Log()
        for name in ["reader", "liar"] {
          dispatcher.background.async(label: name) { log.note(name) }
        }
        dispatcher.foreground.async(label: "first") {}
        dispatcher.foreground.async(label: "second") { log.note("second") }
        try dispatcher.runUntilIdle()
        return log.all
      }
    }
    guard case .undeclaredResource(let ending, let token) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(ending.contains("the outcome ["))
    #expect(token.hasPrefix("choices1:"))
  }

  @Test("sees that a task cancels another")
  func cancels() throws {
    let result = try agreed { dispatcher, notes in
      let handle = dispatcher.background.submit(label: "a") { notes.note("a") }
      dispatcher.foreground.async(label: "b") { handle.cancel() }
    }
    #expect(result.outcomes.count == 2)
  }

  @Test("sees that tasks of a group bring about its notification")
  func groups() throws {
    let result = try agreed(width: 3) { dispatcher, notes in
      let group = WorkGroup()
      dispatcher.background.async(label: "a", group: group) {}
      dispatcher.background.async(label: "b", group: group) {}
      group.notify(on: dispatcher.foreground) { notes.note("c empty") }
      dispatcher.background.async(label: "d") {
        dispatcher.foreground.async(label: "c") { notes.note("c submitted") }
      }
    }
    #expect(result.outcomes.count == 2)
  }

  /// Between bands it counts how long a task has waited, and which task has started before.
  @Test("takes no task for independent of one that submits to another band, or to a view")
  func bandsAndViews() throws {
    for isView in [false, true] {
      let result = try agreed { dispatcher, notes in
        let view = dispatcher.makeQueue(label: "view", width: 1)
        dispatcher.background.async(label: "a") { notes.note("a") }
        dispatcher.foreground.async(label: "b") {
          if isView {
            view.async(label: "d") {}
          } else {
            dispatcher.background.async(priority: .high, label: "d") {}
          }
        }
      }
      // Both orders of the first two, at least.
      #expect(result.schedulesRun >= 2, "view: \(isView)")
    }
  }

  @Test("is believed only if it finds the built-in race")
  func selfCheck() {
    #expect(SelfCheck.finds(.exhaustive, isReduced: true))
  }

  @Test("lets go of every dispatcher that it has made, also if bodies hold theirs")
  func letsGo() throws {
    let dispatchers = Locked<[Held]>([])
    _ = try explore(.exhaustive, resources: .init { _ in [] }) { dispatcher -> Int in
      dispatchers.withLock { $0.append(Held(dispatcher)) }
      for _ in 0..<2 { dispatcher.background { dispatcher.foreground {} } }
      let handle = dispatcher.background.submit { dispatcher }
      let count = try dispatcher.runUntilIdle()
      #expect(try handle.wait() == .completed)
      return count
    }

    let made = dispatchers.withLock { $0 }
    #expect(!made.isEmpty)
    #expect(made.allSatisfy { $0.dispatcher == nil })
  }

  private struct Held: Sendable {
    weak let dispatcher: RecordingDispatcher?

    init(_ dispatcher: RecordingDispatcher) { self.dispatcher = dispatcher }
  }

  @Test("is refused for a strategy that bounds orders in another way")
  func otherStrategy() async {
    await #expect(processExitsWith: .failure) {
      _ = try? explore(resources: .init { _ in [] }) { _ in 0 }
    }
  }

  /// Notes by resource. What a task with `?` notes goes to every resource.
  final class Notes: Sendable {
    private let notes = Locked<[String: [String]]>([:])

    func note(_ name: String) {
      notes.withLock { notes in
        let resources = name.prefix { $0 != " " }
        for resource in resources.contains("?") ? "abc" : resources {
          notes["\(resource)", default: []].append(name)
        }
      }
    }

    var all: [String: [String]] { notes.withLock { $0 } }
  }
}
