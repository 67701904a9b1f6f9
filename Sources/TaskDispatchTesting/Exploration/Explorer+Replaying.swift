internal import TaskDispatch

extension Explorer {
  func replay(
    _ text: String, _ strategy: ExplorationStrategy, _ failures: FailureHandling
  ) throws -> Exploration<Outcome> {
    let token = try ScheduleToken(text)
    let (ending, dispatcher) = runRecorded(token.plan)
    var result = Exploration<Outcome>(strategy: strategy, width: configuration.width)
    result.schedulesRun = 1
    result.isReplay = true
    result.tally.note(decisions)
    let names = decisions.names!
    var facts = names.facts
    if case .facts(let wanted) = token {
      facts = wanted
      try checkThatItMeansSomething(wanted, names, text)
    } else if case .order(let paths) = token {
      try checkThatSomeAreKnown(paths, names, text)
    } else if let mismatch = decisions.mismatch {
      throw ExplorationError.diverged(
        token: text, unknown: ["choice number \(mismatch.position + 1) of that many"], similar: [])
    }
    result.add(
      Explained(
        ending: ending, facts: facts, allFacts: facts.count, token: text,
        timeline: timeline(of: dispatcher, facts), replays: 1))
    if failures == .thrown, let failure = result.failures.first { throw failure }
    return result
  }
}
