internal import TaskDispatch

/// Whether what was run means what it seems to.
extension Explorer {
  /// A fact about a task that never was has had no effect, and the run says nothing.
  func checkThatItMeansSomething(
    _ facts: [OrderingFact], _ names: TaskNames, _ token: String
  ) throws(ExplorationError) {
    // A time that did not come, or fewer of a name, may be what the order brings about.
    let unknown = unknown(facts.flatMap(\.paths), names)
    if !unknown.isEmpty { throw diverged(token, unknown, names) }
  }

  /// What was recorded elsewhere may hold tasks that a scenario does not have, but not only such.
  func checkThatSomeAreKnown(
    _ paths: [TaskPath], _ names: TaskNames, _ token: String
  ) throws(ExplorationError) {
    let unknown = unknown(paths, names)
    if unknown.count == Set(paths).count, !paths.isEmpty { throw diverged(token, unknown, names) }
  }

  private func unknown(_ paths: [TaskPath], _ names: TaskNames) -> Set<TaskPath> {
    let known = Set(names.all.lazy.map(\.unmarked))
    return Set(paths).filter { !known.contains($0.unmarked) }
  }

  private func diverged(
    _ token: String, _ unknown: Set<TaskPath>, _ names: TaskNames
  ) -> ExplorationError {
    let others = names.all.map(\.description)
    return .diverged(
      token: token, unknown: unknown.map(\.description).sorted(),
      similar: Array(
        Set(unknown.flatMap { nearMisses(of: $0.description, in: others) }).sorted().prefix(3)))
  }

  /// The preferred order, twice.
  func checkThatItIsTheSame() throws(ExplorationError) {
    let first = storyOfPreferredOrder()
    let second = storyOfPreferredOrder()
    // Not by their texts: that of a dictionary is another one each time.
    guard first.events != second.events || first.ending != second.ending else { return }
    let index = zip(first.events, second.events).prefix { $0 == $1 }.count
    func part(_ story: (events: [String], ending: Ending)) -> String {
      index < story.events.count ? story.events[index] : story.ending.text
    }
    throw .hiddenNondeterminism(
      "of two runs in the same order, event \(index + 1) was once \(part(first)), and then "
        + part(second))
  }

  private func storyOfPreferredOrder() -> (events: [String], ending: Ending) {
    let (ending, dispatcher) = runRecorded(.exact([]))
    let names = decisions.names!
    let events = dispatcher.history.map { event in
      "\(event.kind.word) \(names.path(of: event.task.id)) at \(event.time)"
    }
    return (events, ending)
  }

  func describe(_ mismatch: Decisions.Mismatch) -> String {
    "choice number \(mismatch.position + 1) was between \(mismatch.found), and between "
      + "\(mismatch.expected) when the same choices had been made before"
  }
}

extension TaskEvent.Kind {
  /// Without what may differ between two runs that are the same, such as the address in an error.
  fileprivate var word: String {
    let text = "\(self)"
    return String(text.prefix { $0 != "(" })
  }
}
