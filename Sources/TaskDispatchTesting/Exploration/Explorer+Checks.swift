internal import TaskDispatch

/// Checks that a run means what it seems to mean.
extension Explorer {
  /// Throws if a fact names a task that the scenario does not have. Such a fact has no effect, so the run says nothing.
  func checkThatItMeansSomething(
    _ facts: [OrderingFact], _ names: TaskNames, _ token: String
  ) throws(ExplorationError) {
    // Compared without marks: the order itself may be why a time did not come, or why there are fewer tasks of a name.
    let unknown = unknown(facts.flatMap(\.paths), names)
    if !unknown.isEmpty { throw diverged(token, unknown, names) }
  }

  /// Throws if the scenario has none of the tasks of a recorded order. It may lack some of them.
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

  /// Runs the preferred order twice, and throws if the two runs differ.
  func checkThatItIsTheSame() throws(ExplorationError) {
    let first = storyOfPreferredOrder()
    let second = storyOfPreferredOrder()
    // Compares the endings and not their texts: the text of a dictionary differs from one run to the next.
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
  /// The name of the case alone. The rest may differ between equal runs, such as the address in an error.
  fileprivate var word: String {
    let text = "\(self)"
    return String(text.prefix { $0 != "(" })
  }
}
