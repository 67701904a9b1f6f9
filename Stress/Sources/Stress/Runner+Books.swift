import Oracle
import TaskDispatch

extension Runner {
  /// Compares the dispatcher's ledger and report with what submitting threads and bodies have counted.
  func checkBooks(_ world: World) {
    guard let report = world.dispatcher.report else {
      return violations.report(.shutdown, nil, "there is no report")
    }
    // Refusals still count after the report; nothing else does.
    let ledger = world.dispatcher.ledger
    let totals = TotalsSnapshot(world.totals).values
    func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
      if !isTrue {
        violations.report(.shutdown, nil, "\(text())\nledger: \(ledger)\nseen: \(totals)")
      }
    }
    let seen = (
      accepted: totals["accepted"]!, ran: totals["ran"]!, threw: totals["threw"]!,
      ticks: totals["ticks of repeating timers"]!, expired: totals["expired"]!,
      cancelled: totals["cancelled before the start"]!, refused: totals["refused"]!
    )
    let bodies = seen.ran + seen.threw + seen.ticks
    var atReport = report.ledger
    atReport.refused = ledger.refused
    expect(
      atReport == ledger, "the ledger has gone on after the report, which says \(report.ledger)")
    expect(ledger.balances, "the ledger does not balance")
    expect(ledger.waiting == 0 && ledger.running == 0, "something is left over")
    expect(
      report.unfinished.filter { $0.state == .abandoned }.count == ledger.abandoned,
      "the report names other abandoned bodies than the ledger counts")
    if !world.isCutShort {
      expect(
        report.unfinished.count == world.stuck.value && ledger.abandoned == world.stuck.value,
        "a quiet dispatcher left other things unfinished than \(world.stuck.value) that never ends: "
          + "\(report)")
      expect(totals["replies asked for"]! == totals["replies"]!, "a body has no reply")
      if world.isExact {
        expect(
          seen.accepted - seen.cancelled == seen.ran + seen.threw + seen.expired,
          "what was accepted is not what ran, was cancelled or has expired")
      }
    }
    guard world.isExact else {
      expect(ledger.completed >= seen.ran + seen.ticks, "more bodies ran than the ledger knows")
      return
    }
    let hidden = totals["calls perhaps unseen"]!
    let known = bodies...bodies + hidden
    expect(
      known.contains(ledger.completed + ledger.failed + ledger.abandoned),
      "\(bodies) bodies ran, and the ledger has others")
    // A body that was abandoned may throw later.
    expect(
      ledger.failed <= seen.threw && ledger.failed >= seen.threw - ledger.abandoned,
      "\(seen.threw) bodies threw, and the ledger has others")
    expect(ledger.expired == seen.expired, "\(seen.expired) tasks have expired, as seen")
    expect(
      known.contains(ledger.accepted - ledger.cancelled - seen.expired),
      "the ledger has accepted something that neither ran nor ended otherwise")
    // A rejected `sync` may be counted as accepted and cancelled; an answer may be refused.
    let turnedAway = totals["sync refused"]! + totals["replies asked for"]! - totals["replies"]!
    expect(
      ledger.refused >= seen.refused && ledger.refused <= seen.refused + turnedAway,
      "\(seen.refused) submissions were refused")
  }

  /// Compares what the handlers were told with what happened, and checks that everything that the
  /// system was asked for was given back. No handler waits any more.
  ///
  /// - Parameter least: How often each signal had arrived before the shutdown; nil if the shutdown was
  ///   not to wait for that.
  func endEvents(_ world: World, least: [CInt: Int]?) {
    guard let events = world.events else { return }
    // Waits for the Tasks that cancel handlers.
    let look = Gate()
    while world.pendingAsync.value > 0 { look.wait(seconds: 0.000_5) }
    events.end(world, least: least)
    events.closeWhatIsLeft()
    guard plan.backend == .uv else { return }
    RaisedSignal.checkDispositions(violations)
    descriptors.check(violations)
  }
}
