import TaskDispatch

/// Finds what the rules do not allow in the notes of a random program.
///
/// It knows what calls and bodies saw, and nothing of the inside of a dispatcher. It concludes that a
/// task stood in a queue from a call that had returned, and that a task ran from what its body noted.
/// So it finds only what is certainly wrong.
package struct SubmissionChecker {
  let trial: Trial
  private(set) var violations: [Violation] = []

  package static func violations(in trial: Trial) -> [Violation] {
    var checker = SubmissionChecker(trial: trial)
    checker.checkOnce()
    checker.checkLedger()
    checker.checkReport()
    checker.checkOrder()
    checker.checkWidths()
    checker.checkBarriers()
    checker.checkBands()
    checker.checkTime()
    checker.checkCancels()
    checker.checkHeldViews()
    checker.checkShutdown()
    checker.checkWaits()
    return checker.violations
  }

  private init(trial: Trial) { self.trial = trial }

  mutating func add(_ rule: Int, _ what: String) {
    violations.append(Violation(rule: rule, what: what))
  }

  /// The submissions to each queue.
  var queues: [(queue: Int, members: [Submission])] {
    trial.queues.indices.map { queue in (queue, trial.submissions.filter { $0.queue == queue }) }
  }

  // MARK: Rules 1 and 2

  private mutating func checkOnce() {
    for submission in trial.submissions {
      if submission.isAccepted == false, !submission.runs.isEmpty {
        add(2, "\(submission) was refused, and ran")
      }
      if submission.form != .repeating, submission.runs.count > 1 {
        add(2, "\(submission) ran \(submission.runs.count) times")
      }
      if submission.form == .sync, submission.isAccepted == true, submission.runs.isEmpty {
        add(2, "\(submission) returned without its body")
      }
      for run in submission.runs {
        if run.ended == nil { add(2, "\(submission) did not come to its end") }
        let isInsideCall = run.began > submission.called && run.began < submission.returned
        if isInsideCall, run.thread == submission.thread,
          submission.form != .sync, submission.form != .awaited, submission.form != .reply
        {
          add(1, "\(submission) ran inside the call that submitted it")
        }
      }
      switch submission.outcome {
      case .completed where submission.runs.isEmpty,
        .failed where submission.runs.isEmpty,
        .cancelled where !submission.runs.isEmpty && submission.form != .repeating,
        .expired where !submission.runs.isEmpty,
        .abandoned:
        add(2, "\(submission) is said to be \(submission.outcome!)")
      default: break
      }
    }
    for (queue, members) in queues {
      let alone = members.filter { $0.isBarrier || trial.queues[queue].width == 1 }
      let runs = alone.reduce(0) { $0 + $1.runs.count }
      if trial.counts[queue] != runs {
        add(
          4, "\(runs) bodies were alone in queue \(queue), and counted to \(trial.counts[queue])")
      }
    }
  }

  // MARK: Rule 13

  private mutating func checkLedger() {
    let ledger = trial.ledger
    if !ledger.balances || ledger.waiting != 0 || ledger.running != 0 {
      add(13, "the ledger does not account for everything: \(ledger)")
    }
    let runs = trial.submissions.reduce(0) { $0 + $1.runs.count }
    if ledger.completed != runs || ledger.failed + ledger.abandoned != 0 {
      add(13, "\(runs) bodies ran, and the ledger says \(ledger)")
    }
    let accepted = trial.submissions.filter { $0.isAccepted == true }.count
    let refused = trial.submissions.filter { $0.isAccepted == false && !$0.wouldDeadlock }.count
    let isExact = trial.submissions.allSatisfy {
      $0.isAccepted != nil && $0.form != .repeating && $0.form != .sync && $0.form != .awaited
    }
    if accepted > ledger.accepted || isExact && accepted != ledger.accepted {
      add(13, "\(accepted) submissions were accepted, and the ledger says \(ledger)")
    }
    // A `sync` or `run` that a shutdown rejected may have been accepted before.
    if isExact && refused != ledger.refused {
      add(13, "\(refused) submissions were refused, and the ledger says \(ledger)")
    }
  }

  /// A task that never ran was cancelled by a call, has expired, or is named in the report.
  private mutating func checkReport() {
    let named = Set(trial.neverStarted)
    for submission in trial.submissions {
      if named.contains(submission.called), submission.form != .repeating, submission.form != .asked
      {
        if !submission.runs.isEmpty { add(13, "\(submission) ran, and the report denies it") }
        if submission.isAccepted == false { add(13, "\(submission) is named, and was refused") }
      }
      guard submission.isAccepted == true, submission.runs.isEmpty else { continue }
      switch submission.form {
      case .posted, .asked, .notification:
        if !named.contains(submission.called) { add(2, "\(submission) is lost") }
      case .handled:
        let isCancelled = submission.cancels.contains { $0.answer == .beforeStart }
        if submission.outcome == nil { add(2, "\(submission) has no outcome") }
        if !named.contains(submission.called), !isCancelled, submission.outcome != .expired {
          add(2, "\(submission) is lost, and is said to be \(submission.outcome as Any)")
        }
      case .timer:
        if submission.outcome == nil { add(2, "\(submission) has no outcome") }
      default: break
      }
    }
  }
}
