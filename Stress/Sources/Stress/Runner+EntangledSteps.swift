import Oracle
import TaskDispatch
import TaskDispatchTesting

extension Runner {
  /// What the fake cannot do on one thread: run Tasks that need other threads, watch descriptors, and
  /// keep a callback's thread until another thread has looked. In the fake, code outside of any task
  /// counts as foreground, and one thread stands for all workers, so it says nothing of what has
  /// started.
  private static let leftOutInSteps: Set<Deed.Family> = [
    .tasks, .events, .holds, .standings, .capturedStandings, .starts,
  ]

  /// Runs one round in the fake, in steps that the seed chooses. Promises are kept between the steps.
  func runTangleInSteps(round: Int, seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let witness = round % 2 == 0 ? Witness() : nil
    let left = (plan.without ?? []).union(Self.leftOutInSteps)
    let isCutShort = dice.once(in: 2) && !left.contains(.shutdowns)
    let width = plan.width ?? 1 + dice.roll(3)
    weak var trace: RecordingDispatcher?
    let tokens: LiveCount
    do {
      let dispatcher = RecordingDispatcher(
        .init(
          width: width, leftovers: .ignore, thrownErrors: .ignore, recordsHistory: false,
          observer: witness))
      trace = dispatcher
      let tangle = Tangle(
        dispatcher, width: width, seed: seed, left: left, isExact: true, isInSteps: true,
        violations: violations)
      entangled.withLock { $0 = tangle }
      witness?.watch(tangle)
      try step(tangle, dispatcher, &dice, isCutShort: isCutShort)
      if violations.hasFindings { return }
      if tangle.errands.count > 0 || tangle.owedCalls.value > 0 {
        return violations.report(
          .noStandstill, nil, "nothing is left that could run: \(tangle.state)")
      }
      // What is released from here on does nothing more, since no later step could end it.
      ThreadRecorder.current.stand.role = .silent
      defer { ThreadRecorder.current.stand.role = .own }
      end(tangle, isCutShort: isCutShort, wasObserved: witness != nil)
      witness?.watch(nil)
      tokens = tangle.liveTokens
      note(tangle)
      entangled.withLock { $0 = nil }
      try dispatcher.finish()
    }
    if tokens.value != 0 || trace != nil {
      violations.report(
        .leak, nil,
        "round \(round) is over, and \(tokens.value) tokens live"
          + (trace == nil ? "" : ", and so does its dispatcher"))
    }
  }

  private func step(
    _ tangle: Tangle, _ dispatcher: RecordingDispatcher, _ dice: inout Dice, isCutShort: Bool
  ) throws {
    for _ in 0..<dice.lengthOfRound() where !violations.hasFindings && !isStopped.isRaised {
      if tangle.live.value < 150 {
        tangle.outside(.thread) { tangle.act(dice.next(), generation: 0, most: 8) }
      }
      for _ in 0..<dice.roll(24) {
        try step(dispatcher, &dice)
        if dice.once(in: 4) { tangle.janitors.keepNext() }
      }
    }
    if isCutShort {
      let policy = ShutdownPolicy(
        drain: .microseconds(dice.roll(3_000)), cancel: .microseconds(dice.roll(3_000)))
      tangle.shutdownWish.withLock {
        $0 = {
          tangle.isOver.raise()
          dispatcher.beginShutdown(policy)
        }
      }
    }
    tangle.isEnding.raise()
    // Enough steps for each timer, and for what it leads to.
    for _ in 0..<200 where !violations.hasFindings {
      while tangle.janitors.keepNext() {}
      try dispatcher.runUntilIdle(limit: 10_000_000)
      try dispatcher.advanceTime(by: .microseconds(100))
    }
    tangle.fulfilWish()
    if !isCutShort {
      tangle.isOver.raise()
      dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(30)))
    }
    try dispatcher.advanceTime(by: .seconds(60))
    while tangle.janitors.keepNext() {}
    try dispatcher.runUntilIdle(limit: 10_000_000)
  }

  private func step(_ dispatcher: RecordingDispatcher, _ dice: inout Dice) throws {
    switch dice.roll(8) {
    case 0, 1:
      do { try dispatcher.runNextForegroundTask() } catch StepError.nothingQueued {
      } catch StepError.nothingRunnable {}
    case 2, 3, 4, 5:
      do { try dispatcher.runNextBackgroundTask() } catch StepError.nothingQueued {
      } catch StepError.nothingRunnable {}
    case 6: try dispatcher.runUntilIdle(limit: 10_000_000)
    default: try dispatcher.advanceTime(by: .microseconds(dice.roll(400)))
    }
  }
}
