import Oracle
import TaskDispatch

extension Runner {
  /// Compares what the dispatcher says with what its user code has seen. No task runs any more.
  func end(_ tangle: Tangle, isCutShort: Bool, wasObserved: Bool) {
    // Releases the handles first: the ends of their results are user code, too.
    for kept in tangle.shelf.empty() {
      let outcome =
        switch kept.handle {
        case .task(let handle): handle.outcomeIfFinished
        case .timer(let handle): handle.outcomeIfFinished
        }
      if let outcome {
        tangle.heard(outcome, kept.ticket)
      } else {
        violations.report(.shutdown, kept.ticket, "#\(kept.mark) has no outcome after the report")
      }
    }
    tangle.groups.withLock { $0 = [] }
    tangle.closeLamps()
    if tangle.owedCalls.value < 0 {
      violations.report(.once, nil, "a group has told observers twice")
    }
    tangle.roll.check(wasQuiet: !isCutShort, wasObserved: wasObserved)
    checkLedger(tangle, isCutShort: isCutShort)
    for checker in tangle.checkers where checker.runningNow != 0 {
      violations.report(.once, nil, "\(checker.name) still has bodies inside")
    }
  }

  private func checkLedger(_ tangle: Tangle, isCutShort: Bool) {
    guard let report = tangle.dispatcher.report else {
      return violations.report(.shutdown, nil, "there is no report")
    }
    let ledger = tangle.dispatcher.ledger
    let seen = TotalsSnapshot(tangle.totals)
    let totals = seen.values
    func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
      if !isTrue {
        violations.report(.shutdown, nil, "\(text())\nledger: \(ledger)\nseen: \(seen.text)")
      }
    }
    var atReport = report.ledger
    atReport.refused = ledger.refused
    // Jobs of Tasks that come after the end cannot be refused, and are counted.
    expect(
      !tangle.isExact || atReport == ledger,
      "the ledger has gone on after the report, which says \(report.ledger)")
    expect(ledger.balances, "the ledger does not balance")
    expect(ledger.waiting == 0 && ledger.running == 0, "something is left over")
    let bodies = totals["bodies ended"]!
    if !isCutShort {
      expect(
        ledger.abandoned == 0 && report.unfinished.isEmpty, "a quiet dispatcher left: \(report)")
      expect(totals["replies asked for"]! == totals["replies"]!, "a body has no reply")
    }
    let ran = ledger.completed + ledger.failed + ledger.abandoned
    guard tangle.isExact else {
      return expect(ran >= bodies - totals["calls of handlers"]!, "more ran than the ledger knows")
    }
    expect(ran == bodies, "\(bodies) bodies ran, and the ledger has \(ran)")
    expect(
      ledger.failed <= totals["threw"]! && ledger.failed >= totals["threw"]! - ledger.abandoned,
      "\(totals["threw"]!) bodies threw, and the ledger has \(ledger.failed)")
    // A rejected `sync` may have been accepted and then cancelled, and so may a reply.
    let unrun = tangle.roll.unrun
    let hidden =
      totals["sync refused"]! + totals["replies asked for"]! - totals["replies"]!
    expect(
      (unrun...unrun + hidden).contains(ledger.cancelled + ledger.expired),
      "\(unrun) submissions never ran, and perhaps \(hidden) more, and the ledger has "
        + "\(ledger.cancelled + ledger.expired)")
  }

  func note(_ tangle: Tangle) {
    let totals = TotalsSnapshot(tangle.totals)
    past.withLock { $0 += totals }
    pastEnded.add(UInt64(tangle.totals.ended.value))
    let ledger = tangle.dispatcher.ledger
    ledgers.withLock { $0 += ledger }
  }
}
