import TaskDispatch

/// Finds what the rules do not allow in a history.
///
/// Pure: it knows the rules from their text, and shares nothing with a dispatcher but the names of
/// things. It does not know which dispatcher ran the program. *Started* means that the task was given
/// a share of its queue's width, which the lock orders; a body begins at some time after that.
package struct HistoryChecker {
  let history: History
  let lives: [Life]
  let byID: [TaskID: Life]
  private(set) var violations: [Violation] = []

  package static func violations(in history: History) -> [Violation] {
    var checker = HistoryChecker(history)
    checker.checkClock()
    checker.checkRecords()
    checker.checkOutcomes()
    checker.checkParents()
    checker.checkOrder()
    checker.checkWidths()
    checker.checkSuspensions()
    checker.checkBarriers()
    checker.checkBands()
    checker.checkAging()
    checker.checkTimers()
    checker.checkRuns()
    checker.checkTimesToLive()
    checker.checkCancels()
    checker.checkShutdown()
    checker.checkLedger()
    checker.checkReport()
    return checker.violations
  }

  private init(_ history: History) {
    self.history = history
    lives = Life.all(of: history)
    byID = Dictionary(lives.map { ($0.task.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func add(_ rule: Int, _ what: String, _ lives: Life...) {
    violations.append(
      Violation(rule: rule, what: what, events: lives.flatMap { $0.events.map(\.event) }))
  }

  /// What was submitted to each queue. A repeating timer is not among it, and its runs are.
  var queues: [(queue: String, members: [Life])] {
    history.queues.map { queue in
      (queue.label, lives.filter { $0.task.queue == queue.label && !$0.isRepeatingTimer })
    }
  }

  func width(of queue: String) -> Int {
    history.queues.first { $0.label == queue }?.width ?? 0
  }

  // MARK: Rule 8

  /// One thread has told everything, so no time is earlier than the one before it.
  private mutating func checkClock() {
    guard history.isInOrder else { return }
    for (entry, next) in zip(history.entries, history.entries.dropFirst())
    where next.time < entry.time {
      add(8, "the clock went back from \(entry.time) to \(next.time), at \(next.line)")
    }
  }

  // MARK: Rule 2

  /// What the events say of a task is what the program declared of it.
  private mutating func checkRecords() {
    for life in lives where !life.isReply {
      guard let declared = life.declared else { continue }
      let task = life.task
      if task.label != declared.label {
        add(2, "\(life) has another label than \(declared): \(task.label ?? "none")", life)
      }
      if task.queue != history.queues[declared.queue].label {
        add(2, "\(life) is in another queue than \(declared)", life)
      }
      if task.lane == .background, task.band != declared.band {
        add(2, "\(life) is in another band than \(declared): \(task.band)", life)
      }
    }
  }

  private mutating func checkOutcomes() {
    for life in lives {
      let kinds = life.events.map(\.event.kind)
      if case .refused = kinds[0] {
        if kinds.count > 1 { add(2, "\(life) was refused, and went on", life) }
        continue
      }
      if kinds[0] != .enqueued { add(2, "\(life) was never accepted", life) }
      if life.outcomes.count != 1 {
        add(2, "\(life) has \(life.outcomes.count) outcomes", life)
        continue
      }
      let starts = kinds.filter { $0 == .started }.count
      if starts > 1 { add(2, "\(life) started \(starts) times", life) }
      if life.events.last?.index != life.ended { add(2, "\(life) goes on after its end", life) }
      switch life.outcomes[0] {
      case .completed, .failed, .abandoned:
        if starts == 0 { add(2, "\(life) ended by itself without a start", life) }
      case .cancelled, .expired, .refused:
        if starts > 0 { add(2, "\(life) started, and has ended as if it had not", life) }
      }
      if life.isRepeatingTimer, life.outcomes[0] != .cancelled {
        add(2, "\(life) repeats, and ended otherwise than cancelled", life)
      }
    }
    checkBodies()
  }

  /// The notes of the bodies must agree with the events.
  private mutating func checkBodies() {
    for (line, declared) in history.declared.sorted(by: { $0.key < $1.key }) {
      // A reply has the same line number as the task that asked.
      guard declared.form != .reply else { continue }
      let mine = lives.filter { $0.declared?.called == line && !$0.isReply }
      let starts = mine.filter { $0.started != nil }.count
      let done = mine.filter {
        $0.outcomes.first == .completed || $0.outcomes.first?.isFailure == true
      }.count
      if declared.runs.count > starts || declared.runs.count < done {
        add(2, "\(declared) began \(declared.runs.count) bodies: \(starts) started, \(done) done")
      }
      if declared.runs.contains(where: { $0.ended == nil }) {
        add(2, "\(declared) has a body that did not come to its end")
      }
    }
  }

  /// What a body submits is submitted while the body runs.
  private mutating func checkParents() {
    for life in lives where !life.isRun {
      guard let id = life.task.parent else { continue }
      guard let parent = byID[id] else {
        add(2, "\(life) comes from \(id), which was never submitted", life)
        continue
      }
      let isWithin = parent.started.map { $0 < life.first && life.first < parent.ended } ?? false
      if !isWithin, parent.outcomes.first != .abandoned {
        add(2, "\(life) comes from \(parent), which does not run then", life, parent)
      }
    }
  }
}

extension Outcome {
  var isFailure: Bool { if case .failed = self { true } else { false } }
}
