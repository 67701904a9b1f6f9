import TaskDispatch

extension HistoryChecker {
  // MARK: Rule 3

  mutating func checkOrder() {
    for (_, members) in queues {
      for later in members {
        guard let started = later.started, let entered = later.entered else { continue }
        for earlier in members where earlier.waits(at: started) {
          // A blocked caller of `sync` is admitted before the event of its start is told.
          guard let before = earlier.entered, before < entered, !earlier.isCaller,
            earlier.band == later.band, !earlier.isBarrier, !later.isBarrier
          else { continue }
          // On the foreground, posted tasks and due timers are ordered apart.
          if earlier.task.lane == .foreground, earlier.isFromTimer != later.isFromTimer { continue }
          add(3, "\(earlier) was overtaken by \(later)", earlier, later)
        }
      }
    }
  }

  // MARK: Rule 6

  mutating func checkBarriers() {
    for (_, members) in queues {
      for barrier in members where barrier.isBarrier {
        for other in members where other.task.id != barrier.task.id {
          if let began = barrier.started, other.runs(at: began) {
            add(6, "\(barrier) did not start alone: \(other) runs", barrier, other)
          }
          if let began = other.started, barrier.runs(at: began) {
            add(6, "\(barrier) did not run alone: \(other) started", barrier, other)
          }
          guard let before = barrier.entered, let entered = other.entered else { continue }
          if let began = barrier.started, entered < before, other.ended > began {
            add(6, "\(barrier) passed \(other), which stood before it", barrier, other)
          }
          if let began = other.started, entered > before, barrier.waits(at: began) {
            add(6, "\(other) passed the barrier \(barrier)", barrier, other)
          }
        }
      }
    }
  }

  // MARK: Rule 7

  mutating func checkBands() {
    guard history.bandsAreStrict else { return }
    for (queue, members) in queues where queue != "foreground" {
      for next in members where !next.isCaller && !next.isBarrier {
        guard let started = next.started else { continue }
        for waiting in members where waiting.band > next.band && waiting.waits(at: started) {
          guard mayStart(waiting, members, at: started) else { continue }
          add(7, "\(next) started before \(waiting), which is of a higher band", next, waiting)
        }
      }
    }
    // A thread blocked in `sync` is admitted, and runs tasks itself, before any event shows it.
    if !lives.contains(where: { $0.isCaller }) { checkBandsOfViews() }
  }

  /// A task of a higher band that may start goes before a task of a lower band, also if they stand in
  /// different views.
  private mutating func checkBandsOfViews() {
    for next in lives where next.task.lane == .background {
      guard let started = next.started else { continue }
      for (queue, members) in queues where queue != next.task.queue && queue != "foreground" {
        let waiting = members.first {
          $0.band > next.band && $0.waits(at: started) && mayStart($0, members, at: started)
        }
        guard let waiting, !mayBeSuspended(queue, at: started) else { continue }
        let running = members.filter { $0.runs(at: started) }
        guard running.count < min(width(of: queue), history.workers),
          !running.contains(where: { $0.isBarrier })
        else { continue }
        add(
          7, "\(next) started before \(waiting), which is of a higher band in another view",
          next, waiting)
      }
    }
  }

  /// Whether no barrier stands before it. A barrier whose place no event tells may stand there.
  private func mayStart(_ waiting: Life, _ members: [Life], at index: Int) -> Bool {
    guard !waiting.isCaller, !waiting.isBarrier, let entered = waiting.entered else { return false }
    return !members.contains {
      $0.isBarrier && ($0.entered ?? 0) < entered && $0.ended > index
    }
  }

  /// Three steps after a head was first passed over, at most two other tasks may still start before it.
  mutating func checkAging() {
    for (queue, members) in queues where queue != "foreground" {
      let starts = members.filter { $0.started != nil && !$0.isCaller && !$0.isBarrier }
        .sorted { $0.started! < $1.started! }
      for head in members {
        let passing = starts.first {
          $0.band != head.band && head.waits(at: $0.started!)
            && isHead(head, members, at: $0.started!)
        }
        guard let passing else { continue }
        let (wait, overflow) = history.agingStep.multipliedReportingOverflow(by: 3)
        if overflow { continue }
        let before = starts.filter {
          $0.startedAt > passing.startedAt + wait && head.waits(at: $0.started!)
        }
        if before.count > 2 {
          add(
            7, "\(before.count) started before \(head), which had been passed over for three steps",
            head, passing, before[0], before[1], before[2])
        }
      }
    }
  }

  private func isHead(_ head: Life, _ members: [Life], at index: Int) -> Bool {
    guard mayStart(head, members, at: index), let entered = head.entered else { return false }
    return !members.contains {
      $0.task.id != head.task.id && $0.band == head.band && !$0.isBarrier
        && ($0.entered ?? 0) < entered && ($0.started ?? $0.ended) > index
    }
  }
}
