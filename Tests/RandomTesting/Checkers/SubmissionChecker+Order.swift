import TaskDispatch

extension SubmissionChecker {
  // MARK: Rule 3

  mutating func checkOrder() {
    for (queue, members) in queues where trial.queues[queue].width == 1 {
      for earlier in members where earlier.standsOnReturn {
        guard let first = earlier.began else { continue }
        for later in members
        where later.called > earlier.returned && later.band == earlier.band {
          // On the foreground, posted tasks and due timers are ordered apart.
          if queue == 0, later.form == .timer || later.form == .repeating { continue }
          guard let second = later.began, second < first else { continue }
          add(3, "\(later) overtook \(earlier)")
        }
      }
    }
  }

  // MARK: Rule 6

  mutating func checkBarriers() {
    for (queue, members) in queues where queue != 0 {
      for barrier in members where barrier.isBarrier {
        guard let began = barrier.began, let ended = barrier.ended else { continue }
        for other in members where other.called != barrier.called {
          for run in other.runs where run.began < ended && (run.ended ?? .max) > began {
            add(6, "\(barrier) did not run alone: \(other)")
          }
          let isBefore = other.standsOnReturn && other.returned < barrier.called
          if isBefore, let end = other.ended, end > began {
            add(6, "\(barrier) passed \(other)")
          }
          let isAfter = barrier.standsOnReturn && barrier.returned < other.called
          if isAfter, let start = other.began, start < ended {
            add(6, "\(other) passed \(barrier)")
          }
        }
      }
    }
  }

  // MARK: Rule 7

  /// In a queue of width 1, the next task is chosen among all that stood there when a body ended.
  mutating func checkBands() {
    guard trial.bandsAreStrict else { return }
    for (queue, members) in queues where queue != 0 && trial.queues[queue].width == 1 {
      let runs = members.flatMap { member in member.runs.map { (member, $0) } }
        .sorted { $0.1.began < $1.1.began }
      for (before, next) in zip(runs, runs.dropFirst()) {
        guard let end = before.1.ended, !next.0.isBarrier else { continue }
        for waiting in members where waiting.band > next.0.band && !waiting.isBarrier {
          guard waiting.standsOnReturn, waiting.returned < end,
            let start = waiting.began, start > next.1.began,
            !mayStandBehindBarrier(waiting, members, at: next.1.began)
          else { continue }
          add(7, "\(next.0) ran before \(waiting), which is of a higher band")
        }
      }
    }
  }

  private func mayStandBehindBarrier(
    _ submission: Submission, _ members: [Submission], at ticket: Int
  ) -> Bool {
    members.contains {
      $0.isBarrier && $0.called < submission.returned && ($0.began.map { $0 > ticket } ?? true)
    }
  }

  // MARK: Rule 4

  mutating func checkWidths() {
    for (queue, members) in queues {
      let runs = members.flatMap(\.runs)
      let most = most(runs.map { ($0.began, $0.ended ?? .max) })
      if most > trial.queues[queue].width {
        add(4, "\(most) bodies of queue \(queue) ran at a time: \(trial.queues[queue])")
      }
    }
    let background = trial.submissions.filter { $0.queue != 0 }
    var changes: [(ticket: Int, change: Int)] = []
    for submission in background {
      if submission.form == .sync {
        // A worker that is blocked in `sync` runs the tasks before it without another worker.
        guard submission.parent != nil else { continue }
        changes += [(submission.called, -1), (submission.returned, 1)]
      } else {
        for run in submission.runs { changes += [(run.began, 1), (run.ended ?? .max, -1)] }
      }
    }
    var running = 0
    for change in changes.sorted(by: { $0.ticket < $1.ticket }) {
      running += change.change
      if running > trial.workers { add(4, "\(running) bodies at \(change.ticket) on workers") }
    }
  }

  /// The most intervals that overlap.
  private func most(_ intervals: [(from: Int, to: Int)]) -> Int {
    let changes = intervals.flatMap { [($0.from, 1), ($0.to, -1)] }.sorted { $0 < $1 }
    var inside = 0
    var most = 0
    for (_, change) in changes {
      inside += change
      most = max(most, inside)
    }
    return most
  }
}
