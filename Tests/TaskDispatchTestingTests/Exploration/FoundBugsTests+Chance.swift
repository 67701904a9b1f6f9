import TaskDispatch
import TaskDispatchTesting
import Testing

/// The four bugs again, found by chance among tasks that have nothing to do with them.
extension FoundBugsTests {
  enum Bug: CaseIterable { case search, withdrawal, timeOut, debounce, flaggedDebounce }

  @Test(
    "by chance, with no more facts than if it is looked for", arguments: Bug.allCases,
    [UInt64](1...10))
  func byChance(bug: Bug, seed: UInt64) throws {
    for strategy: ExplorationStrategy in [
      .random(seed: seed, schedules: 2_000), .prioritized(depth: 3, seed: seed, schedules: 2_000),
    ] {
      let failure = try #require(throws: ScheduleFailure.self) {
        if bug == .withdrawal {
          _ = try explore(strategy) { dispatcher async throws in
            makeNoise(dispatcher)
            return try await withdrawTwice(dispatcher, from: Account(reservesFirst: false))
          }
        } else {
          _ = try explore(strategy) { dispatcher in
            makeNoise(dispatcher)
            return try run(bug, dispatcher)
          }
        }
      }
      #expect(failure.facts.count <= 2, "\(strategy): \(failure.facts)")
      #expect(!"\(failure.facts)".contains("noise"), "\(strategy): \(failure.facts)")
    }
  }

  private func run(_ bug: Bug, _ dispatcher: RecordingDispatcher) throws -> String {
    switch bug {
    case .search:
      let shown = try search(dispatcher, checksItsQuery: false)
      guard shown == "answer to swift" else { throw Broken(shown) }
      return shown
    case .withdrawal: return ""
    case .timeOut: return try ask(dispatcher, answersOnce: false)
    case .debounce: return try edit(dispatcher, .plain).joined()
    case .flaggedDebounce: return try edit(dispatcher, .flagged).joined()
    }
  }

  private func makeNoise(_ dispatcher: RecordingDispatcher) {
    for number in 1...4 {
      dispatcher.background.async(label: "noise \(number)") {
        dispatcher.foreground.async(label: "answer to noise") {}
      }
    }
  }
}
