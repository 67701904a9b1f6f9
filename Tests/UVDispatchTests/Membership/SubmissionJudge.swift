import TaskDispatch

/// Finds what the rules do not allow in the notes of a random program.
///
/// It knows what calls and bodies saw, and nothing of the inside of a dispatcher. From a call that had returned
/// it concludes that a submission was in its queue, and from the notes of a body that it ran. So it finds only
/// what is certainly wrong.
struct SubmissionJudge {
  let trial: Trial
  private(set) var findings: [String] = []

  static func findings(in trial: Trial) -> [String] {
    var judge = SubmissionJudge(trial: trial)
    judge.judgeOnce()
    judge.judgeLedger()
    judge.judgeReport()
    judge.judgeOrder()
    judge.judgeWidths()
    judge.judgeBarriers()
    judge.judgeBands()
    judge.judgeTime()
    judge.judgeCancels()
    judge.judgeHeldViews()
    judge.judgeShutdown()
    judge.judgeWaits()
    return judge.findings
  }

  private init(trial: Trial) { self.trial = trial }

  mutating func find(_ rule: Int, _ finding: String) {
    findings.append("rule \(rule): \(finding)")
  }

  /// The submissions to each queue.
  var queues: [(queue: Int, members: [Submission])] {
    trial.queues.indices.map { queue in (queue, trial.submissions.filter { $0.queue == queue }) }
  }

  // MARK: Rules 1 and 2

  private mutating func judgeOnce() {
    for submission in trial.submissions {
      if submission.isAccepted == false, !submission.runs.isEmpty {
        find(2, "\(submission) was refused, and ran")
      }
      if submission.form != .repeating, submission.runs.count > 1 {
        find(2, "\(submission) ran \(submission.runs.count) times")
      }
      if submission.form == .sync, submission.isAccepted == true, submission.runs.isEmpty {
        find(2, "\(submission) returned without its body")
      }
      for run in submission.runs {
        if run.ended == nil { find(2, "\(submission) did not come to its end") }
        let isInsideCall = run.began > submission.called && run.began < submission.returned
        if isInsideCall, run.thread == submission.thread,
          submission.form != .sync, submission.form != .awaited, submission.form != .reply
        {
          find(1, "\(submission) ran inside the call that submitted it")
        }
      }
      switch submission.outcome {
      case .completed where submission.runs.isEmpty,
        .failed where submission.runs.isEmpty,
        .cancelled where !submission.runs.isEmpty && submission.form != .repeating,
        .expired where !submission.runs.isEmpty,
        .abandoned:
        find(2, "\(submission) is said to be \(submission.outcome!)")
      default: break
      }
    }
    for (queue, members) in queues {
      let alone = members.filter { $0.isBarrier || trial.queues[queue].width == 1 }
      let runs = alone.reduce(0) { $0 + $1.runs.count }
      if trial.counts[queue] != runs {
        find(
          4, "\(runs) bodies were alone in queue \(queue), and counted to \(trial.counts[queue])")
      }
    }
  }

  // MARK: Rule 13

  private mutating func judgeLedger() {
    let ledger = trial.ledger
    if !ledger.balances || ledger.waiting != 0 || ledger.running != 0 {
      find(13, "the ledger does not account for everything: \(ledger)")
    }
    let runs = trial.submissions.reduce(0) { $0 + $1.runs.count }
    if ledger.completed != runs || ledger.failed + ledger.abandoned != 0 {
      find(13, "\(runs) bodies ran, and the ledger says \(ledger)")
    }
    let accepted = trial.submissions.filter { $0.isAccepted == true }.count
    let refused = trial.submissions.filter { $0.isAccepted == false && !$0.wouldDeadlock }.count
    let isExact = trial.submissions.allSatisfy {
      $0.isAccepted != nil && $0.form != .repeating && $0.form != .sync && $0.form != .awaited
    }
    if accepted > ledger.accepted || isExact && accepted != ledger.accepted {
      find(13, "\(accepted) submissions were accepted, and the ledger says \(ledger)")
    }
    // A `sync` or `run` that a shutdown rejected may have been accepted before.
    if isExact && refused != ledger.refused {
      find(13, "\(refused) submissions were refused, and the ledger says \(ledger)")
    }
  }

  /// A submission that never ran was cancelled by a call, has expired, or is named in the report.
  private mutating func judgeReport() {
    let named = Set(trial.neverStarted)
    for submission in trial.submissions {
      if named.contains(submission.called), submission.form != .repeating, submission.form != .asked
      {
        if !submission.runs.isEmpty { find(13, "\(submission) ran, and the report denies it") }
        if submission.isAccepted == false { find(13, "\(submission) is named, and was refused") }
      }
      guard submission.isAccepted == true, submission.runs.isEmpty else { continue }
      switch submission.form {
      case .posted, .asked, .notification:
        if !named.contains(submission.called) { find(2, "\(submission) is lost") }
      case .handled:
        let isCancelled = submission.cancels.contains { $0.answer == .beforeStart }
        if submission.outcome == nil { find(2, "\(submission) has no outcome") }
        if !named.contains(submission.called), !isCancelled, submission.outcome != .expired {
          find(2, "\(submission) is lost, and is said to be \(submission.outcome as Any)")
        }
      case .timer:
        if submission.outcome == nil { find(2, "\(submission) has no outcome") }
      default: break
      }
    }
  }
}
