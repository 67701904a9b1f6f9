import TaskDispatch

extension HistoryChecker {
  // MARK: Rule 9

  mutating func checkCancels() {
    var called: [Int: Int] = [:]
    for (index, entry) in history.entries.enumerated() {
      switch entry.line {
      case .cancelling(let number): called[number] = called[number] ?? index
      case .cancelled(let number, let answer):
        for life in lives where life.task.site.line == UInt32(clamping: number) {
          check(answer, life, called: called[number] ?? 0, returned: index)
        }
      default: break
      }
    }
    for life in lives {
      for (index, event) in life.events where event.kind == .cancellationRequested {
        if !life.runs(at: index) { add(9, "\(life) was asked to stop, and did not run", life) }
      }
    }
  }

  private mutating func check(
    _ answer: Cancellation, _ life: Life, called: Int, returned: Int
  ) {
    let startedLater = life.started.map { history.isCertain($0, after: returned) } ?? false
    let hasEnded = !life.outcomes.isEmpty
    let endedEarlier = hasEnded && history.isCertain(called, after: life.ended)
    let endedLater = hasEnded && history.isCertain(life.ended, after: returned)
    if startedLater {
      add(9, "\(life) started after a cancel() that said \(answer)", life)
    }
    guard !life.isRun, !life.isRepeatingTimer else { return }
    switch answer {
    case .beforeStart:
      if life.started != nil || life.outcomes.first != .cancelled || endedEarlier || endedLater {
        add(9, "\(life) was not cancelled by a cancel() that said so", life)
      }
    case .requested:
      let wasAsked = life.events.contains {
        $0.event.kind == .cancellationRequested && !history.isCertain($0.index, after: returned)
      }
      // If one thread does everything, nothing ends while it is in the call.
      let ran = !history.isInOrder || life.runs(at: returned)
      if life.started == nil || startedLater || endedEarlier || !ran || !wasAsked {
        add(9, "\(life) did not run when cancel() said that it was asked to stop", life)
      }
    case .tooLate:
      if endedLater {
        add(9, "\(life) had not ended when cancel() said that it was too late", life)
      }
    }
  }

  // MARK: Rule 13

  mutating func checkShutdown() {
    var began: Int?
    var gate: Int?
    var drainsNothing: Int?
    var over: Int?
    for (index, entry) in history.entries.enumerated() {
      switch entry.line {
      case .shuttingDown: began = began ?? index
      case .shutDown(let isAbrupt):
        gate = gate ?? index
        if isAbrupt { drainsNothing = drainsNothing ?? index }
      case .over: over = over ?? index
      case .event(let event):
        check(event, gate, drainsNothing, over)
        if let began, let gate, index > gate { checkSkipped(event, began) }
      default: break
      }
    }
  }

  /// Whether it is the run that a repeating timer owed when the gate was closed. The timer owes one for
  /// a tick that came before the previous run had ended.
  private func isOwed(_ life: Life, since gate: Int) -> Bool {
    guard life.isRun, life.declared?.catchUp == .all || life.declared?.catchUp == .once else {
      return false
    }
    return lives.contains {
      $0.isRun && $0.task.parent == life.task.parent && $0.task.id < life.task.id && $0.ended > gate
    }
  }

  private mutating func check(
    _ event: TaskEvent, _ gate: Int?, _ drainsNothing: Int?, _ over: Int?
  ) {
    guard gate != nil || over != nil, let life = byID[event.task.id]
    else { return }
    switch event.kind {
    case .enqueued:
      if event.task.parent == nil { add(13, "\(life) was let in after the gate was closed", life) }
      if life.isFromTimer, !isOwed(life, since: gate ?? 0) {
        add(13, "\(life), a timer, was let in after the gate", life)
      }
    case .due: add(13, "\(life) came due after the gate was closed", life)
    case .started:
      // A thread blocked in `sync` may be admitted until the cancel phase is over.
      if drainsNothing != nil, life.form != .sync {
        add(13, "\(life) started after a shutdown that drains nothing", life)
      }
    default: break
    }
    if over != nil {
      if case .refused = event.kind { return }
      add(13, "\(life) goes on after the report", life)
    }
  }

  /// A task that the shutdown was to skip, and that was submitted before it, does not start after it.
  private mutating func checkSkipped(_ event: TaskEvent, _ began: Int) {
    guard event.kind == .started, let life = byID[event.task.id],
      life.declared?.isSkippedAtShutdown == true, life.first < began
    else { return }
    add(13, "\(life) started, and was to be skipped by the shutdown", life)
  }

  mutating func checkLedger() {
    var counted = Ledger()
    for life in lives {
      if case .refused = life.events[0].event.kind {
        counted.refused += 1
      } else {
        counted.accepted += 1
        if let outcome = life.outcomes.first { counted.count(outcome) }
      }
    }
    if counted != history.ledger {
      add(13, "the ledger says \(history.ledger), and the events \(counted)")
    }
    if !history.ledger.balances || history.ledger.waiting + history.ledger.running != 0 {
      add(13, "the ledger does not account for everything: \(history.ledger)")
    }
  }

  /// The report must account for everything that was accepted, and name every task that did not run to its end.
  mutating func checkReport() {
    guard let report = history.report else { return }
    var final = history.ledger
    final.refused = report.ledger.refused
    if final != report.ledger || report.ledger.refused > history.ledger.refused {
      add(13, "the report says \(report.ledger), and at the end it is \(history.ledger)")
    }
    let abandoned = lives.filter { $0.outcomes.first == .abandoned }.map(\.task.site.line)
    let named = report.unfinished.filter { $0.state == .abandoned }.map(\.site.line)
    if abandoned.sorted() != named.sorted() {
      add(13, "lines \(abandoned) were abandoned, and the report names \(named)")
    }
    for left in report.unfinished where left.state == .neverStarted {
      let isTrue = lives.contains {
        $0.task.site == left.site && $0.started == nil && $0.outcomes.first == .cancelled
      }
      if !isTrue { add(13, "the report names \(left), which was not cancelled") }
    }
    let cancelledByCalls = Set(
      history.entries.compactMap { entry -> Int? in
        guard case .cancelled(let number, .beforeStart) = entry.line else { return nil }
        return number
      })
    let neverStarted = Set(report.unfinished.map(\.site.line))
    for life in lives where life.outcomes.first == .cancelled {
      let isExcused =
        life.form == .sync || life.form == .awaited || life.isFromTimer
        || cancelledByCalls.contains(Int(life.task.site.line))
      if !isExcused, !neverStarted.contains(life.task.site.line) {
        add(13, "\(life) was cancelled, and no known call cancelled it", life)
      }
    }
  }
}
