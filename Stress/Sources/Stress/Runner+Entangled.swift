import Oracle
import TaskDispatch
import UVDispatch

extension Runner {
  /// Makes dispatchers whose user code misbehaves, one after the other, and ends each in its own way.
  func runEntangled() throws {
    var round = 0
    var dice = Dice(seed: plan.seed)
    ThreadRecorder.current.stand.role = plan.backend == .uv ? .silent : .own
    while !isTimeOver {
      switch plan.backend {
      case .uv: try runTangle(round: round, seed: dice.next())
      case .fake: try runTangleInSteps(round: round, seed: dice.next())
      }
      round += 1
      rounds.set(UInt64(round))
    }
  }

  private func runTangle(round: Int, seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let left = plan.without ?? []
    let witness = round % 2 == 0 ? Witness() : nil
    let isCutShort = dice.once(in: 2) && !left.contains(.shutdowns)
    let width = plan.width ?? (dice.once(in: 3) ? 1 + dice.roll(3) : nil)
    weak var trace: UVDispatcher?
    let tokens: LiveCount
    do {
      let dispatcher = try UVDispatcher(
        .init(label: "entangled", backgroundWidth: width, observer: witness))
      trace = dispatcher
      let tangle = Tangle(
        dispatcher, width: dispatcher.effectiveBackgroundWidth, seed: seed, left: left,
        isExact: round % 3 != 1, violations: violations)
      entangled.withLock { $0 = tangle }
      witness?.watch(tangle)
      run(tangle, dispatcher, &dice, isCutShort: isCutShort)
      if violations.hasFindings { return }
      end(tangle, isCutShort: isCutShort, wasObserved: witness != nil)
      witness?.watch(nil)
      tokens = tangle.liveTokens
      note(tangle)
      entangled.withLock { $0 = nil }
    }
    during("waiting for what a dispatcher has left") {
      let look = Gate()
      let began = monotonicNanoseconds()
      while tokens.value != 0 || trace != nil {
        look.wait(seconds: 0.000_5)
        guard monotonicNanoseconds() - began > 10_000_000_000 else { continue }
        return violations.report(
          .leak, nil,
          "round \(round) is over, and \(tokens.value) tokens live"
            + (trace == nil ? "" : ", and so does its dispatcher"))
      }
    }
  }

  // MARK: The load

  private func run(
    _ tangle: Tangle, _ dispatcher: UVDispatcher, _ dice: inout Dice, isCutShort: Bool
  ) {
    var loop: OwnThread?
    if dice.once(in: 2) {
      try! dispatcher.start()
    } else {
      loop = OwnThread { dispatcher.run() }
    }
    nameLoop(tangle)
    let length = Int64(100_000_000 + dice.roll(300_000_000))
    let until = min(max(ends, monotonicNanoseconds() + 50_000_000), monotonicNanoseconds() + length)
    let team = (0..<plan.threads).map { _ -> OwnThread in
      let seed = dice.next()
      return OwnThread { [self] in produce(tangle, seed: seed, until: until) }
    }
    let prober = Prober(tangle)
    let look = Gate()
    if isCutShort {
      look.wait(seconds: Double(until - monotonicNanoseconds()) / 2e9)
      cutShort(tangle, dispatcher, &dice)
    }
    during("waiting for producers") {
      for thread in team { _ = thread.join(seconds: 1e6) }
    }
    tangle.isEnding.raise()
    prober.stop()
    if !isCutShort {
      during("waiting until a dispatcher has nothing left") { waitUntilIdle(tangle) }
      if violations.hasFindings { return }
      let policy = ShutdownPolicy(drain: .seconds(10), cancel: .seconds(5))
      tangle.isOver.raise()
      dispatcher.beginShutdown(policy)
    }
    during("waiting for a report") {
      while dispatcher.report == nil { look.wait(seconds: 0.000_5) }
    }
    _ = loop?.join(seconds: 1e6)
    during("waiting for what a shutdown has left") { waitUntilOver(tangle) }
  }

  private func nameLoop(_ tangle: Tangle) {
    let isNamed = Gate()
    let (ticket, mark) = tangle.issue(.posted, on: 0)
    let admission = tangle.queues[0](fileID: Tangle.file, line: UInt(mark)) {
      ThreadRecorder.current.stand.role = .loop
      tangle.body(ticket, mark) {}
      isNamed.open()
    }
    tangle.settle(ticket, admission)
    _ = during("waiting for the loop") { isNamed.wait(seconds: 1e6) }
  }

  private func produce(_ tangle: Tangle, seed: UInt64, until: Int64) {
    ThreadRecorder.current.stand.role = .own
    var dice = Dice(seed: seed)
    let look = Gate()
    while monotonicNanoseconds() < until, !violations.hasFindings, !isStopped.isRaised,
      !tangle.isOver.isRaised
    {
      tangle.outside(.thread) { tangle.act(dice.next(), generation: 0, most: 8) }
      if tangle.live.value > 150 { look.wait(seconds: 0.000_3) }
    }
  }

  /// Lets some code begin the shutdown, with short deadlines, and checks that the report comes in time.
  private func cutShort(_ tangle: Tangle, _ dispatcher: UVDispatcher, _ dice: inout Dice) {
    let drain = Duration.microseconds(dice.once(in: 3) ? 0 : dice.roll(20_000))
    let cancel = Duration.microseconds(dice.once(in: 3) ? 0 : dice.roll(20_000))
    let policy = ShutdownPolicy(drain: drain, cancel: cancel)
    let called = Number()
    let isTask = dice.once(in: 4)
    tangle.shutdownWish.withLock {
      $0 = {
        tangle.isOver.raise()
        called.set(UInt64(monotonicNanoseconds()))
        ThreadRecorder.current.stand.call("beginning the shutdown") {
          if isTask {
            Task { _ = await dispatcher.shutdown(policy) }
          } else {
            dispatcher.beginShutdown(policy)
          }
        }
      }
    }
    let look = Gate()
    let began = monotonicNanoseconds()
    while called.value == 0 {
      look.wait(seconds: 0.000_5)
      // No other code has begun the shutdown.
      if monotonicNanoseconds() - began > 100_000_000 { tangle.fulfilWish() }
    }
    let slack: Int64 = isSanitized ? 30_000_000_000 : 5_000_000_000
    let end = Int64(called.value) + Int64((drain + cancel) / .nanoseconds(1)) + slack
    during("waiting for a report that is due") {
      while dispatcher.report == nil {
        look.wait(seconds: 0.000_5)
        guard monotonicNanoseconds() > end else { continue }
        violations.report(
          .shutdown, nil,
          "no report \(slack / 1_000_000_000) s after the deadlines (drain \(drain), cancel "
            + "\(cancel))\n\(tangle.state)")
        // The process must not wait for something that never ends.
        monitorEnds?()
      }
    }
  }

  private func waitUntilIdle(_ tangle: Tangle) {
    let look = Gate()
    var timesQuiet = 0
    // Checks twice, since what has just ended may have more to do.
    while timesQuiet < 2 {
      look.wait(seconds: 0.001)
      let ledger = tangle.dispatcher.ledger
      let isQuiet =
        ledger.waiting == 0 && ledger.running == 0 && tangle.janitors.isIdle
        && tangle.errands.count == 0 && tangle.totals.begun.value == tangle.totals.ended.value
        && tangle.owedCalls.value == 0
      timesQuiet = isQuiet ? timesQuiet + 1 : 0
    }
  }

  private func waitUntilOver(_ tangle: Tangle) {
    let look = Gate()
    let ledger = tangle.dispatcher.report!.ledger
    // An abandoned body had started, and may not have come to its first instruction.
    let started = tangle.isExact ? ledger.completed + ledger.failed + ledger.abandoned : 0
    while tangle.totals.ended.value < started || !tangle.janitors.isIdle
      || tangle.errands.count > 0 || tangle.owedCalls.value > 0
      || tangle.totals.begun.value != tangle.totals.ended.value
      || ThreadRecorder.all.contains(where: { $0.stand.depth > 0 })
    {
      look.wait(seconds: 0.001)
    }
    tangle.janitors.end()
  }
}
