import TaskDispatch

/// Finds what the rules do not allow in a history.
///
/// It is pure: it knows the rules from their text, and shares nothing with a dispatcher but the names of
/// things. *Started* means that a slot was taken, which the dispatcher does under its lock; the body begins at
/// some time after that.
struct Membership {
  struct Violation: Sendable, Equatable, CustomStringConvertible {
    let rule: Int
    let what: String
    /// The events that show the violation.
    let events: [TaskEvent]

    var description: String {
      "rule \(rule): \(what)" + events.map { "\n    \($0)" }.joined()
    }
  }

  let history: History
  let lives: [Life]
  let byID: [TaskID: Life]
  private(set) var violations: [Violation] = []

  static func violations(in history: History) -> [Violation] {
    var membership = Membership(history)
    membership.judgeOutcomes()
    membership.judgeParents()
    membership.judgeOrder()
    membership.judgeWidths()
    membership.judgeSuspensions()
    membership.judgeBarriers()
    membership.judgeBands()
    membership.judgeAging()
    membership.judgeTimers()
    membership.judgeRuns()
    membership.judgeTimesToLive()
    membership.judgeCancels()
    membership.judgeShutdown()
    membership.judgeLedger()
    membership.judgeReport()
    return membership.violations
  }

  private init(_ history: History) {
    self.history = history
    lives = Life.all(of: history)
    byID = Dictionary(lives.map { ($0.task.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func find(_ rule: Int, _ what: String, _ lives: Life...) {
    violations.append(
      Violation(rule: rule, what: what, events: lives.flatMap { $0.events.map(\.event) }))
  }

  /// The submissions to each queue. A repeating timer itself is left out, and its runs are included.
  var queues: [(queue: String, members: [Life])] {
    history.queues.map { queue in
      (queue.label, lives.filter { $0.task.queue == queue.label && !$0.isRepeatingTimer })
    }
  }

  func width(of queue: String) -> Int {
    history.queues.first { $0.label == queue }?.width ?? 0
  }

  // MARK: Rule 2

  private mutating func judgeOutcomes() {
    for life in lives {
      let kinds = life.events.map(\.event.kind)
      if case .refused = kinds[0] {
        if kinds.count > 1 { find(2, "\(life) was refused, and went on", life) }
        continue
      }
      if kinds[0] != .enqueued { find(2, "\(life) was never accepted", life) }
      if life.outcomes.count != 1 {
        find(2, "\(life) has \(life.outcomes.count) outcomes", life)
        continue
      }
      let starts = kinds.filter { $0 == .started }.count
      if starts > 1 { find(2, "\(life) started \(starts) times", life) }
      if life.events.last?.index != life.ended { find(2, "\(life) goes on after its end", life) }
      switch life.outcomes[0] {
      case .completed, .failed, .abandoned:
        if starts == 0 { find(2, "\(life) ended by itself without a start", life) }
      case .cancelled, .expired, .refused:
        if starts > 0 { find(2, "\(life) started, and has ended as if it had not", life) }
      }
      if life.isRepeatingTimer, life.outcomes[0] != .cancelled {
        find(2, "\(life) repeats, and ended otherwise than cancelled", life)
      }
    }
    judgeBodies()
  }

  /// The notes of the bodies must agree with the events.
  private mutating func judgeBodies() {
    for (line, declared) in history.declared.sorted(by: { $0.key < $1.key }) {
      // A reply has the same line number as the task that asked.
      guard declared.form != .reply else { continue }
      let mine = lives.filter { $0.declared?.called == line && !$0.isReply }
      let starts = mine.filter { $0.started != nil }.count
      let done = mine.filter {
        $0.outcomes.first == .completed || $0.outcomes.first?.isFailure == true
      }.count
      if declared.runs.count > starts || declared.runs.count < done {
        find(2, "\(declared) began \(declared.runs.count) bodies: \(starts) started, \(done) done")
      }
    }
  }

  /// What a body submits is submitted while the body runs.
  private mutating func judgeParents() {
    for life in lives where !life.isRun {
      guard let id = life.task.parent else { continue }
      guard let parent = byID[id] else {
        find(2, "\(life) comes from \(id), which was never submitted", life)
        continue
      }
      let isWithin = parent.started.map { $0 < life.first && life.first < parent.ended } ?? false
      if !isWithin, parent.outcomes.first != .abandoned {
        find(2, "\(life) comes from \(parent), which does not run then", life, parent)
      }
    }
  }
}

extension Outcome {
  var isFailure: Bool { if case .failed = self { true } else { false } }
}
