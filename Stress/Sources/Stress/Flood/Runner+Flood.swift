import Oracle
import TaskDispatch
import UVDispatch

extension Runner {
  /// Floods queues that have a limit, each on a dispatcher of its own.
  func runFloods() throws {
    var round = 0
    var dice = Dice(seed: plan.seed)
    while !isTimeOver {
      try flood(dice.next())
      round += 1
      rounds.set(UInt64(round))
    }
  }

  private func flood(_ seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let limit = [1, 2, 50, 1000][dice.roll(4)]
    let kind = dice.roll(4)
    let dispatcher = try UVDispatcher(
      .init(
        label: "flood", backgroundWidth: plan.width ?? 3,
        overflow: kind < 2 ? .reject(limit: limit) : .unbounded,
        stallThresholds: StallThresholds(.milliseconds(5))))
    let viewWidth = kind == 2 ? 1 : 3
    let flooded: FloodedQueue
    switch kind {
    case 0:
      flooded = FloodedQueue(dispatcher.foreground, limit: limit, width: 1, violations: violations)
    case 1:
      flooded = FloodedQueue(
        dispatcher.background, limit: limit, width: dispatcher.effectiveBackgroundWidth,
        violations: violations)
    default:
      let queue = dispatcher.makeQueue(
        QueueOptions(
          label: "width \(viewWidth)", width: viewWidth, overflow: .reject(limit: limit)))
      flooded = FloodedQueue(queue, limit: limit, width: viewWidth, violations: violations)
    }
    self.flooded.withLock { $0 = flooded }
    try dispatcher.start()
    let inspector = dice.once(in: 2) ? Inspector(dispatcher, violations: violations) : nil

    let until = min(
      max(ends, monotonicNanoseconds() + 50_000_000), monotonicNanoseconds() + 500_000_000)
    let team = (0..<plan.threads).map { _ -> OwnThread in
      let seed = dice.next()
      return OwnThread { [self] in
        var dice = Dice(seed: seed)
        while monotonicNanoseconds() < until, !violations.hasFindings, !isStopped.isRaised {
          for _ in 0..<100 { flooded.submit(&dice) }
        }
      }
    }
    during("waiting for those that flood the queue") {
      for thread in team { _ = thread.join(seconds: 1e6) }
    }
    inspector?.stop()
    if violations.hasFindings { return }
    // Bodies submit too, and their submissions count: so what is left runs before the shutdown.
    let look = Gate()
    during("waiting for the queue to be empty") {
      while true {
        let ledger = dispatcher.ledger
        if ledger.waiting + ledger.running == 0 { break }
        look.wait(seconds: 0.000_5)
      }
    }
    let ledger = dispatcher.ledger
    flooded.check(ledger)
    dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(30), cancel: .seconds(30)))
    during("waiting for a report") {
      while dispatcher.report == nil { look.wait(seconds: 0.000_5) }
    }
    past.withLock { $0 += TotalsSnapshot(flooded.totals) }
    pastEnded.add(UInt64(flooded.totals.ended.value))
    ledgers.withLock { $0 += ledger }
    self.flooded.withLock { $0 = nil }
  }
}
