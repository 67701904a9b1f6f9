internal import TaskDispatch

extension Explorer {
  /// Runs the schedule once more to learn what is different about it, and leaves out what does not
  /// matter.
  func explain(_ found: Found) throws(ExplorationError) -> Explained {
    let (ending, dispatcher) = runRecorded(.exact(found.taken.map(\.chosen)))
    let facts = decisions.names!.facts
    let exact = ScheduleToken.exact(found.taken)
    guard ending == found.ending else {
      throw .hiddenNondeterminism(
        "the same choices (\(exact.text)) once ended with \(found.ending.text), and then with "
          + ending.text)
    }
    let mayShrink = explained < Self.mostShrunk
    explained += 1
    guard mayShrink else {
      return Explained(
        ending: ending, facts: facts, allFacts: facts.count, token: exact.text,
        timeline: timeline(of: dispatcher, facts), replays: 1)
    }
    var shrinking = Shrinking(budget: budget.replays) { facts in
      self.runRecorded(.facts(FactIndex(facts))).0 == ending
    }
    guard let shrunk = shrinking.shrink(facts) else {
      // Facts alone do not bring it about again: only the very same choices do.
      return Explained(
        ending: ending, facts: facts, allFacts: facts.count, token: exact.text,
        timeline: timeline(of: dispatcher, facts), replays: shrinking.runs)
    }
    let (_, last) = runRecorded(.facts(FactIndex(shrunk)))
    return Explained(
      ending: ending, facts: shrunk, allFacts: facts.count,
      token: ScheduleToken.facts(shrunk).text, timeline: timeline(of: last, shrunk),
      replays: shrinking.runs)
  }

  /// What the facts are about, and how it ended, under the names that the facts have. Of the last run.
  func timeline(of dispatcher: RecordingDispatcher, _ facts: [OrderingFact]) -> String {
    let names = decisions.names!
    let history = dispatcher.history
    return Timeline.text(
      of: history.prefix(eventsBeforeThrow ?? history.count), limit: 30,
      about: names.tasks(of: facts), named: names.shortName)
  }

  struct Explained {
    let ending: Ending
    let facts: [OrderingFact]
    let allFacts: Int
    let token: String
    let timeline: String
    let replays: Int

    var witness: ScheduleWitness {
      ScheduleWitness(
        facts: facts, factsBeforeShrinking: allFacts, replays: replays, token: token,
        timeline: timeline)
    }
  }
}
