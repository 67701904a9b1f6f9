import TaskDispatch
import TestSupport
import Testing

@testable import TaskDispatchTesting

@Suite("A process that dies in an exploration")
struct LastScheduleTests {
  private static let site = CallSite(fileID: "Tests/Dies.swift", line: 1)

  /// Ends the process in the order in which the second task comes first.
  private static func dies(_ strategy: ExplorationStrategy, replaying token: String? = nil) throws {
    _ = try explore(strategy, replaying: token, fileID: "Tests/Dies.swift", line: 1) { dispatcher in
      let log = Log()
      for name in ["one", "two"] { dispatcher.background.async(label: name) { log.note(name) } }
      try dispatcher.runUntilIdle()
      if log.all == ["two", "one"] { fatalError("here it ends") }
      return 0
    }
  }

  @Test("leaves behind which schedule that was, for the next exploration there")
  func leavesItBehind() async throws {
    await #expect(processExitsWith: .failure) {
      try LastScheduleTests.dies(.bounded(deviations: 1))
    }

    let token = try #require(LastSchedule.ofDeadProcess(Self.site))
    #expect(try ScheduleToken(token) == .choices([1]))
    // The next exploration runs that schedule first, also with a strategy that would not come to it.
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try LastScheduleTests.dies(.bounded(deviations: 0))
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("Tests/Dies.swift:1: the last process that explored this died"))
    #expect(said.contains("TASKDISPATCH_REPLAY='choices1:1"))

    // After an exploration that ends well, nothing is left.
    _ = try explore(replaying: nil, fileID: "Tests/Dies.swift", line: 1) { _ in 0 }
    #expect(LastSchedule.ofDeadProcess(Self.site) == nil)
  }

  @Test(
    "says it in a token that means the same", .serialized,
    arguments: [
      Decisions.Plan.exact([0, 2, 1]), .repeating([Decision(chosen: 3, count: 4, kind: .move)]),
      .deviating([
        .init(position: 1, chosen: 2, count: 3), .init(position: 4, chosen: 1, count: 2),
      ]),
      .random(seed: .max), .prioritized(Priorities(seed: 7, changes: [1, 3])),
      .prioritized(Priorities(seed: 0, changes: [])),
      .facts(FactIndex([.chose(TaskPath("a b", under: nil), 1, "")])),
      .following(RecordedOrder([TaskPath("a", under: nil)])),
    ])
  func tokens(plan: Decisions.Plan) throws {
    let site = CallSite(fileID: "Tests/Tokens.swift", line: 1)
    let last = LastSchedule(of: site)
    last.begin(.random(seed: 1))
    last.begin(plan)

    let written = try #require(LastSchedule.written(at: site))
    let expected: ScheduleToken =
      switch plan {
      case .exact(let choices): .choices(choices)
      case .repeating, .reduced: .choices([3])
      case .deviating: .choices([0, 2, 0, 0, 1])
      case .random(let seed): .random(seed: seed)
      case .prioritized(let priorities):
        .priorities(seed: priorities.seed, changes: priorities.changes)
      case .facts(let facts): .facts(facts.facts)
      case .following(let order): .order(order.paths)
      }
    #expect(try ScheduleToken(written) == expected)
    withExtendedLifetime(last) {}
  }

  @Test("is not disturbed by another exploration there at the same time")
  func oneAtATime() throws {
    let site = CallSite(fileID: "Tests/Together.swift", line: 1)
    let first = LastSchedule(of: site)
    first.begin(.random(seed: 1))
    do {
      let second = LastSchedule(of: site)
      second.begin(.random(seed: 2))
    }
    #expect(LastSchedule.written(at: site) == "random1:1")
    withExtendedLifetime(first) {}
  }
}
