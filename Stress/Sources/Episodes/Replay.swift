import Foundation
import Oracle
package import TaskDispatchTesting

/// A history that the fake has run again.
package struct Replay: Sendable {
  package let history: History
  /// How the episode ended this time.
  package let ending: Episode.Ending
  /// How many steps followed the recorded order before the first that differed.
  package let followed: Int
  /// The first step that differed: its name then and now, each nil if there was none left. Nil if the
  /// whole order was the same.
  package let difference: Difference?
  /// The deviations from the order that the fake prefers, reduced to those that matter. Nil if the
  /// episode ended in another way.
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
  /// - Parameter explains: Whether to search for what matters about the order, which takes some hundred
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

  /// Finds what matters about the recorded order. A replay does not shorten a failing order, but an
  /// exploration does: so this is an exploration that runs the recorded order and one other schedule.
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

  /// Timers may pass as often as they did on threads.
  private static var budget: ExplorationBudget { .init(timersAhead: .max) }
}

extension Episode {
  /// The episode as a test that an exploration runs.
  package func scenario(width: Int) -> (RecordingDispatcher) throws -> Ending {
    { dispatcher in
      try run(on: dispatcher, width: width, takesTime: false, violations: ViolationLog()) {
        try dispatcher.runUntilIdle()
        // The episode may be idle although time-outs are still to come.
        try dispatcher.advanceTime(by: .seconds(60))
      }.ending
    }
  }
}

extension Exploration<Episode.Ending> {
  /// How the only schedule of this exploration ended.
  fileprivate var ending: Episode.Ending {
    outcomes.first
      ?? Episode.Ending(faults: failures.map { "the fake could not go on: \($0.reason)" })
  }
}
