import TaskDispatch

extension HistoryChecker {
  // MARK: Rule 4

  mutating func checkWidths() {
    var running: [String: Int] = [:]
    var onWorkers = 0
    var standing = 0
    for (index, entry) in history.entries.enumerated() {
      switch entry.line {
      // A worker that is blocked in `sync` runs the tasks before it without another worker.
      case .syncBegan: standing += 1
      case .syncEnded: standing -= 1
      case .event(let event):
        guard let life = byID[event.task.id], life.started != nil else { continue }
        let change = index == life.started ? 1 : index == life.ended ? -1 : 0
        running[event.task.queue, default: 0] += change
        if event.task.lane == .background, !life.isCaller { onWorkers += change }
        guard change > 0 else { continue }
        let others = lives.first { $0.task.id != life.task.id && $0.runs(at: index) } ?? life
        if running[event.task.queue]! > width(of: event.task.queue) {
          add(
            4, "\(life) is the \(running[event.task.queue]!)th that runs on its queue", life, others
          )
        }
        if onWorkers > history.workers + standing {
          add(4, "\(life) is the \(onWorkers)th that runs on workers", life, others)
        }
      default: break
      }
    }
  }

  /// Nothing of a view starts while it is surely suspended, but for a caller of `sync` that was admitted
  /// before.
  mutating func checkSuspensions() {
    var held: [String: Int] = [:]
    for entry in history.entries {
      switch entry.line {
      case .suspended(let queue): held[queue, default: 0] += 1
      case .resuming(let queue): held[queue, default: 0] -= 1
      case .event(let event) where event.kind == .started:
        guard held[event.task.queue, default: 0] > 0, let life = byID[event.task.id],
          !life.isCaller
        else { continue }
        add(4, "\(life) started although its view is suspended", life)
      default: break
      }
    }
  }

  /// Whether `queue` may be suspended at `index`: a call may have come that far.
  func mayBeSuspended(_ queue: String, at index: Int) -> Bool {
    var held = 0
    for entry in history.entries.prefix(index) {
      switch entry.line {
      case .suspending(queue): held += 1
      case .resumed(queue): held -= 1
      default: break
      }
    }
    return held > 0
  }

  // MARK: Rule 8

  mutating func checkTimers() {
    for life in lives where life.isFromTimer && !life.isReply {
      guard let due = life.declared?.due else { continue }
      if let index = life.due, history.entries[index].time < due {
        add(8, "\(life) came due before \(due)", life)
      }
      guard life.started != nil else { continue }
      if life.startedAt < due { add(8, "\(life) started before \(due)", life) }
      if !life.isRun, life.due == nil { add(8, "\(life) started, and never came due", life) }
    }
    let timers = lives.filter { $0.form == .timer && $0.declared?.due != nil }
    for later in timers {
      guard let index = later.due, let due = later.declared?.due else { continue }
      for earlier in timers
      where earlier.first < index && (earlier.due ?? earlier.ended) > index {
        let deadline = earlier.declared!.due!
        if deadline < due || deadline == due && earlier.first < later.first {
          add(8, "\(later) came due before \(earlier), which was due first", later, earlier)
        }
      }
    }
  }

  /// A repeating timer has one run at a time, none before its tick, and its runs end before it does.
  mutating func checkRuns() {
    let runs = Dictionary(grouping: lives.filter(\.isRun)) { $0.task.parent }
    for (timer, runs) in runs {
      for run in runs where run.started != nil {
        if run.startedAt < run.task.enqueuedAt.nanoseconds {
          add(8, "\(run) started before its tick", run)
        }
      }
      let inOrder = runs.sorted { $0.task.id < $1.task.id }
      for (run, next) in zip(inOrder, inOrder.dropFirst()) where (next.started ?? .max) < run.ended
      {
        add(8, "\(next) started before \(run) had ended, a run of the same timer", run, next)
      }
      guard let timer = timer.flatMap({ byID[$0] }) else { continue }
      for run in runs where timer.ended < run.ended {
        add(8, "\(timer) ended before \(run), its own", timer, run)
      }
    }
  }

  mutating func checkTimesToLive() {
    for life in lives {
      guard let declared = life.declared, let timeToLive = declared.timeToLive, !life.isReply
      else { continue }
      let end = (declared.due ?? life.task.enqueuedAt.nanoseconds) + timeToLive
      if life.started != nil, life.startedAt > end {
        add(2, "\(life) started when it had expired, at \(end)", life)
      }
      if life.outcomes.first == .expired, life.endedAt <= end {
        add(2, "\(life) expired before its time was over, at \(end)", life)
      }
    }
    for life in lives where life.outcomes.first == .expired && life.declared?.timeToLive == nil {
      add(2, "\(life) expired, and had no time to live", life)
    }
  }
}
