internal import TaskDispatch

extension Explorer {
  /// Runs the schedule once more to learn how it differs from the preferred order, and leaves out what does not matter.
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
    guard let shrunk = shrink(facts, by: &shrinking) else {
      // The facts alone do not bring the ending about again. Only the exact choices do.
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

  /// Leaves out facts, and makes the remaining ones say no more than they must. What is left names the tasks that the
  /// failure is about, and not others that came between them in the order in which it was found.
  private func shrink(
    _ facts: [OrderingFact], by shrinking: inout Shrinking<OrderingFact>
  ) -> [OrderingFact]? {
    guard var shrunk = shrinking.shrink(facts) else { return nil }
    if shrunk.isEmpty { return shrunk }
    for index in shrunk.indices { weaken(&shrunk, at: index, by: &shrinking) }
    return shrinking.shrink(shrunk) ?? shrunk
  }

  /// Makes one fact say less.
  ///
  /// As the second task, it tries earlier ones, and keeps the earliest it finds with which the ending is the same: the
  /// first task then waits no longer than it must. As the first task, it keeps the one that is preferred last: those
  /// preferred before it need not wait at all.
  private func weaken(
    _ facts: inout [OrderingFact], at index: Int, by shrinking: inout Shrinking<OrderingFact>
  ) {
    guard case .waits(let task, let other) = facts[index] else { return }
    func tries(_ fact: OrderingFact) -> Bool {
      var changed = facts
      changed[index] = fact
      guard shrinking.asks(changed) else { return false }
      facts = changed
      return true
    }
    _ = runRecorded(.facts(FactIndex(facts)))
    let others = decisions.names!.passed.lazy.filter { $0.paths.contains(task) }.map(\.winner)
    if let last = others.firstIndex(of: other) {
      let earlier = Array(others[..<last])
      Self.first(of: earlier.count) { tries(.waits(task, for: earlier[$0])) }
    }
    guard case .waits(_, let winner) = facts[index] else { return }
    // The order that the run has without this fact.
    var without = facts
    without.remove(at: index)
    _ = runRecorded(.facts(FactIndex(without)))
    let preferred = decisions.names!.order
    guard let first = preferred.firstIndex(of: task) else { return }
    let later = Array(preferred[(first + 1)...].reversed())
    Self.first(of: later.count) { tries(.waits(later[$0], for: winner)) }
  }

  /// Looks for the first index below `count` for which `holds` is true.
  ///
  /// With more than 64 it searches by halves, in O(log n) calls. What holds for one index mostly holds for all behind
  /// it.
  private static func first(of count: Int, where holds: (Int) -> Bool) {
    if count <= 64 {
      _ = (0..<count).first(where: holds)
      return
    }
    var (first, end) = (0, count)
    while first < end {
      let middle = (first + end) / 2
      if holds(middle) { end = middle } else { first = middle + 1 }
    }
  }

  /// The events of the last run that the facts are about, and those at its end, under the names in the facts.
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
