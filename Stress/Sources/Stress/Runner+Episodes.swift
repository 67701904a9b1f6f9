import Episodes
import Oracle
import TaskDispatch
import TaskDispatchTesting
import UVDispatch

extension Runner {
  /// The current round or the last one, as far as its history goes.
  struct RecordedRound: Sendable {
    let round: Int
    let width: Int
    let recorder: Recorder
    /// Nil until the round has ended.
    var ending: Episode.Ending?
  }

  /// Runs one small program after the other, each on a dispatcher of its own. So the history of one
  /// program contains what led to its failure, however long the run is.
  func runEpisodes() throws {
    var round = 0
    while !isTimeOver {
      let episode = Episode(ofRound: round, seed: plan.seed, plant: plan.plant)
      let ending =
        switch plan.backend {
        case .uv: try runOnThreads(episode, round)
        case .fake: try runInOrders(episode)
        }
      for fault in ending.faults { violations.report(.program, nil, "round \(round): \(fault)") }
      round += 1
      rounds.set(UInt64(round))
    }
  }

  private func runOnThreads(_ episode: Episode, _ round: Int) throws -> Episode.Ending {
    let recorder = Recorder()
    let dispatcher = try UVDispatcher(
      .init(
        label: "stress", backgroundWidth: plan.width,
        observer: recorder))
    let width = dispatcher.effectiveBackgroundWidth
    recorded.withLock { $0 = RecordedRound(round: round, width: width, recorder: recorder) }
    let (ending, bodies) = during("running an episode") {
      episode.run(on: dispatcher, width: width, takesTime: true, violations: violations) {
        let report = dispatcher.run()
        if !report.ledger.balances || !report.unfinished.isEmpty {
          violations.report(.shutdown, nil, "an episode has left something over: \(report)")
        }
      }
    }
    recorded.withLock { $0!.ending = ending }
    note(dispatcher.ledger, bodies: bodies)
    return ending
  }

  /// Runs the episode in some orders that the fake chooses.
  private func runInOrders(_ episode: Episode) throws -> Episode.Ending {
    let width = plan.width ?? 3
    let scenario = episode.scenario(width: width)
    let result = try explore(
      .random(seed: episode.seed, schedules: 16),
      configuration: .init(width: width, stepLimit: 1_000_000),
      budget: .init(timersAhead: .max), failures: .collected
    ) { dispatcher in
      let ending = try scenario(dispatcher)
      note(dispatcher.ledger, bodies: dispatcher.ledger.completed)
      return ending
    }
    if let failure = result.failures.first { throw failure }
    guard let outcome = result.outcomes.first(where: { !$0.isGood }) else { return .init() }
    let witness = result.outcomes.witness(of: outcome)
    return Episode.Ending(faults: [
      ([outcome.text] + (witness?.summary ?? [])).joined(separator: "\n")
    ])
  }

  private func note(_ ledger: Ledger, bodies: Int) {
    ledgers.withLock { $0 += ledger }
    past.withLock { past in
      past.values["accepted", default: 0] += ledger.accepted
      past.values["bodies begun", default: 0] += bodies
      past.values["bodies ended", default: 0] += bodies
    }
    pastEnded.add(UInt64(bodies))
  }

  /// What was recorded of the round that has failed. Nil where nothing is recorded.
  var history: History? {
    guard let round = recorded.withLock({ $0 }) else { return nil }
    return History(
      seed: plan.seed, plant: plan.plant, round: round.round, width: round.width,
      ending: round.ending ?? .init(brokenRules: violations.all.map(\.rule.title)),
      isWhole: round.ending != nil, events: round.recorder.history)
  }
}
