import Foundation
import Oracle
package import TaskDispatchTesting

/// A history, once more in the fake.
package struct Replay: Sendable {
  package let history: History
  /// How it ended this time.
  package let ending: Episode.Ending
  /// How many steps were made in the recorded order before the first that was another one.
  package let followed: Int
  /// That: its name then and now, or nil for none left. Nil if the order was the same.
  package let difference: Difference?
  /// Of all that was different from the order that the fake prefers, what matters. Nil if it ended in
  /// another way.
  package let cause: ScheduleWitness?

  package struct Difference: Sendable {
    package let then: String?
    package let now: String?
  }

  package var isSame: Bool { ending == history.ending && !ending.isGood }
}

extension History {
  /// Runs the same episode in the recorded order, as nearly as one thread can.
  ///
  /// - Parameter explains: Whether to look for what matters about the order, which takes some hundred
  ///   runs of the episode.
  package func replay(explains: Bool = true) throws -> Replay {
    let recorder = Recorder()
    let result = try explore(
      configuration: Self.configuration(width: width, recorder), budget: Self.budget,
      failures: .collected, replaying: token, episode.scenario(width: width))
    let ending = result.ending
    let (then, now) = (
      Order(token)?.names ?? [], Order(scheduleToken(of: recorder.history))?.names ?? []
    )
    let followed = zip(then, now).prefix { $0 == $1 }.count
    func name(_ order: [String]) -> String? {
      followed < order.count ? order[followed].removingPercentEncoding : nil
    }
    let isWanted = explains && ending == self.ending && !ending.isGood
    return Replay(
      history: self, ending: ending, followed: followed,
      difference: then == now ? nil : Replay.Difference(then: name(then), now: name(now)),
      cause: isWanted ? try cause(of: ending) : nil)
  }

  /// An exploration makes the order of what fails shorter, and a replay does not: so this is one of the
  /// recorded order, and of one schedule more.
  private func cause(of ending: Episode.Ending) throws -> ScheduleWitness? {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("stress-order-\(UUID().uuidString)").path
    try Data((token + "\n").utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try explore(
      .bounded(deviations: 0), configuration: Self.configuration(width: width, nil),
      budget: Self.budget, failures: .collected, regressions: path,
      episode.scenario(width: width)
    ).outcomes.witness(of: ending)
  }

  private static func configuration(
    width: Int, _ recorder: Recorder?
  ) -> RecordingDispatcher.Configuration {
    .init(width: width, stepLimit: 1_000_000, observer: recorder)
  }

  /// Time passes whenever it did.
  private static var budget: ExplorationBudget { .init(timersAhead: .max) }
}

extension Episode {
  /// For an exploration.
  package func scenario(width: Int) -> (RecordingDispatcher) throws -> Ending {
    { dispatcher in
      try run(on: dispatcher, width: width, takesTime: false, court: Court()) {
        try dispatcher.runUntilIdle()
        // Time-outs that nothing else has waited for.
        try dispatcher.advanceTime(by: .seconds(60))
      }.ending
    }
  }
}

extension Exploration<Episode.Ending> {
  /// The end of the one schedule that was run.
  fileprivate var ending: Episode.Ending {
    outcomes.first
      ?? Episode.Ending(faults: failures.map { "the fake could not go on: \($0.reason)" })
  }
}
