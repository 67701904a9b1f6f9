import Oracle
import TaskDispatch
import UVDispatch

extension Runner {
  /// Makes dispatchers full of repeating timers, one after the other.
  func runRepeating() throws {
    var round = 0
    var dice = Dice(seed: plan.seed)
    while !isTimeOver {
      try runTimers(round: round, seed: dice.next())
      round += 1
      rounds.set(UInt64(round))
    }
  }

  private func runTimers(round: Int, seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let isLimited = dice.once(in: 2)
    let dispatcher = try UVDispatcher(
      .init(
        label: "repeating", backgroundWidth: plan.width,
        overflow: isLimited ? .reject(limit: 1 + dice.roll(4)) : .unbounded,
        observer: dice.once(in: 2) ? LoneObserver() : nil))
    let load = RepeatingLoad(
      dispatcher, seed: dice.next(), isLimited: isLimited, violations: violations)
    repeating.withLock { $0 = load }
    var loop: OwnThread?
    if dice.once(in: 2) {
      try dispatcher.start()
    } else {
      loop = OwnThread { dispatcher.run() }
    }
    load.makeTimers(&dice)

    let length = Int64(200_000_000 + dice.roll(800_000_000))
    let until = min(max(ends, monotonicNanoseconds() + 50_000_000), monotonicNanoseconds() + length)
    let team = (0..<plan.threads).map { number -> OwnThread in
      let seed = dice.next()
      return OwnThread { [self] in
        disturb(load, number: number, seed: seed, until: until)
      }
    }
    during("waiting for those that disturb the timers") {
      for thread in team { _ = thread.join(seconds: 1e6) }
    }
    if violations.hasFindings { return }
    let isCutShort = dice.once(in: 3)
    let called = dispatcher.now.nanoseconds
    load.closedAt.withLock { $0 = called }
    dispatcher.beginShutdown(
      isCutShort
        ? ShutdownPolicy(drain: .microseconds(dice.roll(3_000)), cancel: .seconds(1_000))
        : ShutdownPolicy(drain: .seconds(30), cancel: .seconds(30)))
    let look = Gate()
    during("waiting for a report") {
      while dispatcher.report == nil { look.wait(seconds: 0.000_5) }
    }
    _ = loop?.join(seconds: 1e6)
    check(load, called: isCutShort ? nil : called)
    past.withLock { $0 += TotalsSnapshot(load.totals) }
    pastEnded.add(UInt64(load.totals.ended.value))
    let ledger = dispatcher.ledger
    ledgers.withLock { $0 += ledger }
    repeating.withLock { $0 = nil }
  }

  /// The body of one of several threads. It fills the queues, suspends one, and cancels its share of
  /// the timers, one at a time.
  private func disturb(_ load: RepeatingLoad, number: Int, seed: UInt64, until: Int64) {
    var dice = Dice(seed: seed)
    let look = Gate()
    var mine = load.timers.enumerated().filter { $0.offset % plan.threads == number }.map(\.element)
    var isSuspended = false
    while monotonicNanoseconds() < until, !violations.hasFindings, !isStopped.isRaised {
      if load.fillersLeft < 200 { for _ in 0..<dice.roll(20) { load.fill() } }
      load.checkWaiting()
      if number == 0, dice.once(in: 4) {
        isSuspended ? load.held.resume() : load.held.suspend()
        isSuspended.toggle()
      }
      if number != 0 || !isSuspended, dice.once(in: 30), let timer = mine.popLast() {
        timer.cancelByCall()
      }
      look.wait(seconds: Double(dice.roll(2_000)) / 1e6)
    }
    if isSuspended { load.held.resume() }
    for timer in mine { timer.cancelByCall() }
  }

  private func check(_ load: RepeatingLoad, called: Int64?) {
    guard let report = load.dispatcher.report else { return }
    for timer in load.timers { timer.checkEnd(mustDrain: called, wasInGroup: true) }
    let ledger = load.dispatcher.ledger
    let bodies = load.totals.ended.value
    if !ledger.balances || ledger.waiting + ledger.running + ledger.abandoned != 0
      || ledger.completed != bodies
    {
      violations.report(
        .shutdown, nil, "\(bodies) bodies ended, after which the ledger is \(ledger)\n\(report)")
    }
  }
}

/// An observer that does nothing. Because of it, every task takes the longer way.
private final class LoneObserver: TaskObserver {
  func observe(_ event: TaskEvent) {}
}
