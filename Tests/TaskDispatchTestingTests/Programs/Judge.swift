import TaskDispatch

/// Finds what the rules do not allow in the log of a random program. It knows the rules only from their text,
/// and shares nothing with the fake but the names of things.
struct Judge {
  private let log: ProgramLog
  private var lives: [Life] = []
  private(set) var findings: [String] = []

  /// One submission, from its first event to its last, by line numbers of the log.
  fileprivate struct Life {
    let task: TaskRecord
    let facts: ProgramLog.Facts?
    /// A call of `sync`. The queue admits its thread before the event of its start.
    let isCaller: Bool
    let isBarrier: Bool
    /// A repeating timer itself, not one of its runs.
    var isTimerItself = false
    var isRun = false
    var kinds: [TaskEvent.Kind] = []
    /// When it came into its queue. Unknown for a notification.
    var entered: Int?
    var started: Int?
    var startedAt: Int64 = 0
    var ended = Int.max
    var endedAt: Int64 = 0
    var outcome: Outcome?

    func isRunning(at line: Int) -> Bool { started.map { $0 <= line && line < ended } ?? false }
  }

  static func findings(in log: ProgramLog) -> [String] {
    var judge = Judge(log)
    judge.judgeOutcomes()
    judge.judgeBodies()
    judge.judgeLedger()
    judge.judgeTime()
    judge.judgeOrder()
    judge.judgeBarriers()
    judge.judgeWidths()
    judge.judgeCancellations()
    judge.judgeSuspensions()
    return judge.findings
  }

  private init(_ log: ProgramLog) {
    self.log = log
    var indices: [TaskID: Int] = [:]
    for (line, entry) in log.lines.enumerated() {
      guard case .event(let event) = entry else { continue }
      let task = event.task
      let index = indices[task.id] ?? lives.count
      if index == lives.count {
        indices[task.id] = index
        lives.append(makeLife(of: task, indices))
      }
      lives[index].kinds.append(event.kind)
      switch event.kind {
      case .enqueued:
        let life = lives[index]
        let waitsForTime = life.facts?.due != nil && !life.isRun
        if life.facts?.isNotification != true, !waitsForTime { lives[index].entered = line }
      case .due: lives[index].entered = line
      case .started:
        lives[index].started = line
        lives[index].startedAt = event.time.nanoseconds
      case .finished(let outcome):
        lives[index].ended = line
        lives[index].endedAt = event.time.nanoseconds
        lives[index].outcome = outcome
      default: break
      }
    }
  }

  private func makeLife(of task: TaskRecord, _ indices: [TaskID: Int]) -> Life {
    let facts = task.label.flatMap { log.facts[$0] }
    let isBarrierSync = task.label == nil && UInt(task.site.line) == ProgramLog.barrierSync
    var life = Life(
      task: task, facts: facts, isCaller: task.label == nil,
      isBarrier: facts?.isBarrier ?? isBarrierSync)
    if facts?.repeats == true {
      let parent = task.parent.flatMap { indices[$0] }
      life.isRun = parent.map { lives[$0].task.label == task.label } ?? false
      life.isTimerItself = !life.isRun
    }
    return life
  }

  private mutating func find(_ finding: String, _ life: Life) {
    findings.append("\(life.task): \(finding)")
  }

  // MARK: Rule 2

  private mutating func judgeOutcomes() {
    for life in lives {
      let ends = life.kinds.filter { if case .finished = $0 { true } else { false } }.count
      let starts = life.kinds.filter { $0 == .started }.count
      if case .refused = life.kinds.first {
        if life.kinds.count > 1 { find("was refused, and then \(life.kinds.dropFirst())", life) }
        continue
      }
      if life.kinds.first != .enqueued { find("begins with \(life.kinds)", life) }
      if ends != 1 { find("has \(ends) outcomes", life) }
      if starts > 1 { find("started \(starts) times", life) }
      switch life.outcome {
      case .completed?, .failed?, .abandoned?:
        if starts == 0 { find("ended without a start", life) }
      default:
        if starts > 0 { find("started, and ended as \(life.outcome as Any)", life) }
      }
      if life.isTimerItself, life.outcome != .cancelled { find("repeats, and ran itself", life) }
      if let started = life.started, started > life.ended { find("started after its end", life) }
    }
  }

  /// The notes of the bodies must agree with the events.
  private mutating func judgeBodies() {
    var began: [String: Int] = [:]
    var ended: [String: Int] = [:]
    for line in log.lines {
      if case .bodyBegan(let label) = line { began[label, default: 0] += 1 }
      if case .bodyEnded(let label) = line { ended[label, default: 0] += 1 }
    }
    for label in log.facts.keys.sorted() {
      let mine = lives.filter { $0.task.label == label }
      let done = mine.filter { life in
        if case .failed = life.outcome { true } else { life.outcome == .completed }
      }.count
      let starts = mine.filter { $0.started != nil }.count
      let bodies = began[label] ?? 0
      // A task that was abandoned has started; no rule says whether its body has run as well.
      if bodies < done || bodies > starts {
        findings.append("\(label): \(bodies) bodies ran, \(starts) started, \(done) ended by it")
      }
      if bodies != ended[label] ?? 0 { findings.append("\(label): a body did not come to its end") }
    }
  }

  private mutating func judgeLedger() {
    let ledger = log.ledger
    var counted = Ledger()
    for life in lives {
      if case .refused = life.kinds.first {
        counted.refused += 1
      } else {
        counted.accepted += 1
        if let outcome = life.outcome { counted.count(outcome) }
      }
    }
    // No submission of these programs waits for room, so an accepted task stays accepted.
    if counted != ledger { findings.append("the ledger says \(ledger), the events \(counted)") }
    if !ledger.balances || ledger.waiting + ledger.running != 0 {
      findings.append("the ledger does not account for everything: \(ledger)")
    }
  }

  // MARK: Rule 8

  private mutating func judgeTime() {
    var now: Int64 = 0
    for event in log.events {
      if event.time.nanoseconds < now { findings.append("time went back at \(event)") }
      now = event.time.nanoseconds
    }
    for life in lives {
      guard let facts = life.facts else { continue }
      if life.started != nil {
        let earliest = life.isRun ? life.task.enqueuedAt.nanoseconds : facts.due ?? 0
        if life.startedAt < earliest { find("started before its time", life) }
      }
      guard let timeToLive = facts.timeToLive, !life.isRun else { continue }
      let end = (facts.due ?? life.task.enqueuedAt.nanoseconds) + timeToLive
      if life.started != nil, life.startedAt > end { find("started when it had expired", life) }
      if life.outcome == .expired, life.endedAt <= end { find("expired too early", life) }
    }
  }

  // MARK: Rules 3 and 7

  private mutating func judgeOrder() {
    for (queue, members) in queues {
      for later in members {
        guard let started = later.started, let entered = later.entered else { continue }
        for earlier in members where earlier.task.id != later.task.id {
          guard let before = earlier.entered, !earlier.isCaller else { continue }
          // The earlier task still waits when the later one starts.
          let waits = before < started && (earlier.started ?? earlier.ended) > started
          guard waits, earlier.ended > started else { continue }
          let isSameKind =
            queue != "foreground" || (earlier.isFromTimer == later.isFromTimer)
          if before < entered, band(earlier) == band(later), isSameKind {
            find("was overtaken by \(later.task.id)", earlier)
          }
          // A call of `sync` may have been admitted before the other task came.
          if queue != "foreground", !later.isCaller, band(earlier) < band(later),
            !earlier.isBarrier,
            !later.isBarrier, !isBehindBarrier(earlier, members, at: started)
          {
            find("is of a higher band than \(later.task.id), which started before it", earlier)
          }
        }
      }
    }
  }

  private var queues: [(String, [Life])] {
    Dictionary(grouping: lives.filter { !$0.isTimerItself }, by: \.task.queue)
      .sorted { $0.key < $1.key }
  }

  private func band(_ life: Life) -> Int {
    life.task.queue == "foreground" ? 0 : (life.facts?.band ?? .medium).index
  }

  private func isBehindBarrier(_ life: Life, _ members: [Life], at line: Int) -> Bool {
    members.contains {
      $0.isBarrier && $0.entered.map { $0 < life.entered! } ?? true && $0.ended > line
    }
  }

  // MARK: Rule 6

  private mutating func judgeBarriers() {
    for (queue, members) in queues where queue != "foreground" {
      for barrier in members where barrier.isBarrier {
        guard let started = barrier.started else { continue }
        for other in members where other.task.id != barrier.task.id {
          if other.isRunning(at: started) { find("did not run alone: \(other.task.id)", barrier) }
          if let start = other.started, barrier.isRunning(at: start) {
            find("did not run alone: \(other.task.id)", barrier)
          }
          guard let before = barrier.entered, let entered = other.entered else { continue }
          if entered < before, other.ended > started {
            find("started before \(other.task.id) had ended", barrier)
          }
          if entered > before, let start = other.started, start < barrier.ended {
            find("is passed by \(other.task.id)", barrier)
          }
        }
      }
    }
  }

  // MARK: Rule 4

  private mutating func judgeWidths() {
    var running: [String: Int] = [:]
    var onWorkers = 0
    var standing = 0
    var byID: [TaskID: Life] = [:]
    for life in lives { byID[life.task.id] = life }
    for line in log.lines {
      if line == .syncBegan { standing += 1 }
      if line == .syncEnded { standing -= 1 }
      guard case .event(let event) = line, let life = byID[event.task.id] else { continue }
      let change: Int
      switch event.kind {
      case .started: change = 1
      case .finished where life.started != nil: change = -1
      default: continue
      }
      running[event.task.queue, default: 0] += change
      if event.task.lane == .background, !life.isCaller { onWorkers += change }
      if running[event.task.queue]! > log.widths[event.task.queue]! {
        find("is one too many on its queue", life)
      }
      // A worker that is blocked in `sync` runs what stands before its call without another worker.
      if onWorkers > log.workers + standing { find("is one too many for the workers", life) }
    }
  }

  // MARK: Rule 9

  private mutating func judgeCancellations() {
    for (line, entry) in log.lines.enumerated() {
      guard case .cancelled(let label, let answer) = entry else { continue }
      for life in lives where life.task.label == label {
        let repeats = life.facts?.repeats == true
        if let started = life.started, started > line { find("started after a cancel()", life) }
        guard !repeats else { continue }
        switch answer {
        case .beforeStart where life.outcome != .cancelled || life.ended > line:
          find("was cancelled before its start, and has \(life.outcome as Any)", life)
        case .requested where !life.isRunning(at: line):
          find("was asked to stop, and did not run", life)
        case .tooLate where life.ended > line && life.outcome != nil:
          find("was told that it was too late, and had not ended", life)
        default: break
        }
      }
    }
  }

  private mutating func judgeSuspensions() {
    var held: Set<String> = []
    let callers = Set(lives.filter(\.isCaller).map(\.task.id))
    for line in log.lines {
      switch line {
      case .suspended(let queue): held.insert(queue)
      case .resumed(let queue): held.remove(queue)
      case .event(let event) where event.kind == .started:
        // A call of `sync` that was admitted before the suspension may still start.
        if held.contains(event.task.queue), !callers.contains(event.task.id) {
          findings.append("\(event.task) started although its queue is suspended")
        }
      default: break
      }
    }
  }
}

extension Judge.Life {
  /// Due timers of the foreground, and the runs of repeating timers, are ordered apart from posted tasks.
  fileprivate var isFromTimer: Bool { facts?.due != nil }
}
