package import TaskDispatch

/// Cancellations, and what the body sees of them (rule 9).
extension History {
  /// A call that cancels begins.
  package func askCancel(_ entry: Entry) -> CancelCall {
    let now = next()
    entry.cancelled = entry.cancelled ?? now
    leaveGroup(entry)
    return CancelCall(running: entry.isInside ? entry : nil, hadEnded: entry.hasOutcome)
  }

  /// The call has returned.
  package func note(_ answer: Cancellation, of entry: Entry, _ call: CancelCall) {
    if call.isStillInside, answer != .requested, !mayBeAbandoned(answer) {
      fail("rule 9: \(entry.name) is in its body, and a cancellation says \(answer)")
    }
    if call.hadEnded, answer != .tooLate {
      fail("rule 9: \(entry.name) had its outcome, and a cancellation says \(answer)")
    }
    switch answer {
    case .beforeStart: refuse(entry)
    case .requested:
      if entry.mustNotRun { fail("rule 9: \(entry.name) is asked to stop, and never runs") }
      entry.requested = entry.requested ?? next()
    case .tooLate: break
    }
  }

  /// Whether a shutdown may have given up the body that runs, so that it is too late to cancel it.
  func mayBeAbandoned(_ answer: Cancellation) -> Bool { answer == .tooLate && hasShutdown }

  /// The body has read its flag.
  ///
  /// - Parameter start: When it began to read.
  package func note(isCancelled: Bool, in entry: Entry, since start: Moment) {
    if isCancelled, entry.cancelled == nil, !hasShutdown {
      fail("rule 9: \(entry.name) is told to stop, and no thread has asked for it")
    }
    if !isCancelled, let requested = entry.requested, requested.stamp < start.stamp {
      fail("rule 9: \(entry.name) was asked to stop, and is not told")
    }
  }

  /// What was so when a cancellation was asked for.
  package struct CancelCall {
    /// The body that ran.
    let running: Entry?
    let hadEnded: Bool

    /// Whether the body has run during the whole call.
    var isStillInside: Bool { running?.isInside == true }
  }
}
