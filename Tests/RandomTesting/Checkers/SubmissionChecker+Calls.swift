import TaskDispatch

extension SubmissionChecker {
  // MARK: Rule 8

  mutating func checkTime() {
    for submission in trial.submissions {
      guard let due = submission.due else { continue }
      for run in submission.runs where run.time < due {
        add(8, "\(submission) ran at \(run.time), and was due at \(due)")
      }
    }
  }

  // MARK: Rule 9

  mutating func checkCancels() {
    for submission in trial.submissions {
      for cancel in submission.cancels {
        switch cancel.answer {
        case .beforeStart where submission.form == .repeating:
          if submission.runs.contains(where: { $0.began > cancel.returned }) {
            add(9, "\(submission) began again after \(cancel)")
          }
        case .beforeStart where !submission.runs.isEmpty || submission.outcome != .cancelled:
          add(9, "\(submission) is \(submission.outcome as Any), in spite of \(cancel)")
        case .requested where submission.form != .repeating:
          // The body may have noted its end and not have returned yet.
          if submission.runs.isEmpty { add(9, "\(submission) never ran, in spite of \(cancel)") }
        case .tooLate where submission.form != .repeating:
          if let began = submission.began, began > cancel.returned {
            add(9, "\(submission) ran after \(cancel)")
          }
        default: break
        }
      }
    }
  }

  /// Nothing of a view starts while it is suspended. A task that has started may come to its body later.
  mutating func checkHeldViews() {
    for held in trial.suspensions {
      let open = mostThatGoOn(in: held.queue, from: held.from, to: held.to)
      if open > trial.queues[held.queue].width {
        add(4, "\(open) bodies of queue \(held.queue) went on while it was suspended: \(held)")
      }
    }
  }

  private func mostThatGoOn(in queue: Int, from: Int, to: Int) -> Int {
    // A caller of `sync` may have been admitted before.
    trial.submissions.lazy.filter { $0.queue == queue && $0.form != .sync }.flatMap(\.runs)
      .filter { $0.began < to && ($0.ended ?? .max) > from }.count
  }

  // MARK: Rule 13

  mutating func checkShutdown() {
    for submission in trial.submissions {
      for run in submission.runs where max(run.began, run.ended ?? .max) > trial.over {
        add(13, "\(submission) ran after the report, which came at \(trial.over)")
      }
      for shutdown in trial.shutdowns where submission.called > shutdown.returned {
        let isLate =
          submission.parent == nil && submission.form != .awaited && submission.form != .reply
          || submission.form == .timer || submission.form == .repeating
        if isLate, submission.isAccepted == true {
          add(13, "\(submission) was accepted after \(shutdown)")
        }
      }
    }
    for shutdown in trial.shutdowns where shutdown.drainsNothing {
      for queue in trial.queues.indices {
        let open = mostThatGoOn(in: queue, from: shutdown.returned, to: .max)
        if open > trial.queues[queue].width {
          add(13, "\(open) bodies of queue \(queue) went on after \(shutdown)")
        }
      }
    }
    checkDrain()
  }

  /// If every thread had done its part when the shutdown came, everything accepted has run.
  private mutating func checkDrain() {
    guard trial.shutdowns.count == 1, let shutdown = trial.shutdowns.first,
      !shutdown.drainsNothing
    else { return }
    for submission in trial.submissions
    where submission.isAccepted == true && submission.runs.isEmpty && !submission.isCancelled {
      guard submission.form != .timer, submission.form != .notification,
        submission.form != .repeating, submission.outcome != .expired,
        !submission.isSkippedAtShutdown
      else { continue }
      add(13, "\(submission) was not drained")
    }
  }

  // MARK: Rules 3 and 14

  mutating func checkWaits() {
    for submission in trial.submissions {
      for run in submission.runs where run.ended ?? .max > submission.waited {
        add(2, "a wait for \(submission) had returned at \(submission.waited)")
      }
      if submission.wouldDeadlock, submission.parent == nil {
        add(14, "\(submission) was told that it would wait for itself, and nothing waited for it")
      }
    }
    for flush in trial.flushes {
      for submission in trial.submissions
      where submission.queue == flush.queue && submission.returned < flush.from {
        guard submission.standsOnReturn else { continue }
        for run in submission.runs where run.ended ?? .max > flush.to {
          add(3, "\(submission) went on after a flush that began later: \(flush)")
        }
      }
    }
  }
}
