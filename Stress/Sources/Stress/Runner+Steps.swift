import Oracle
import TaskDispatch
import TaskDispatchTesting

extension Runner {
  func runInSteps(_ world: World, seed: UInt64) throws {
    let dispatcher = world.dispatcher as! RecordingDispatcher
    var dice = Dice(seed: seed)
    let producer = Producer(world, number: 0, seed: dice.next())
    producers.withLock { $0 = [producer] }
    world.onChild = { producer.keep($0) }
    world.registerHandlers(&dice)
    for _ in 0..<dice.lengthOfRound() where !violations.hasFindings && !isStopped.isRaised {
      for _ in 0..<16 where producer.hasRoom { producer.act() }
      for _ in 0..<dice.roll(24) { try step(dispatcher, &dice) }
      producer.closeWhatIsOver()
      while !producer.hasRoom {
        try dispatcher.advanceTime(by: .microseconds(500))
        producer.closeWhatIsOver()
      }
    }
    world.isOver.raise()
    producer.closeWhatIsOver()
    if world.isCutShort {
      let drain = Duration.microseconds(dice.roll(3))
      for checker in world.checkers {
        checker.endOrder(at: world.now() + Int64(drain / .nanoseconds(1)))
      }
      dispatcher.beginShutdown(ShutdownPolicy(drain: drain, cancel: .zero))
    } else {
      while producer.openCount > 0 {
        try dispatcher.advanceTime(by: .microseconds(500))
        producer.closeWhatIsOver()
      }
      try dispatcher.runUntilIdle(limit: 10_000_000)
      if let events = world.events, !events.isQuiet {
        violations.report(
          .events, nil, "nothing is left that could run, and something to tell: \(events.state)")
      }
      dispatcher.beginShutdown(ShutdownPolicy(drain: .seconds(30)))
    }
    try dispatcher.runUntilIdle(limit: 10_000_000)
    try dispatcher.advanceTime(by: .seconds(60))
    // A handler may have submitted the last tasks.
    if world.isCutShort { producer.closeAfterReport() } else { producer.closeWhatIsOver() }
    world.checkEndState()
    checkBooks(world)
    endEvents(world, least: world.isCutShort ? nil : EventLoad.least)
    world.onChild = nil
    try dispatcher.finish()
  }

  private func step(_ dispatcher: RecordingDispatcher, _ dice: inout Dice) throws {
    switch dice.roll(8) {
    case 0, 1:
      do { try dispatcher.runNextForegroundTask() } catch StepError.nothingQueued {
      } catch StepError.nothingRunnable {}
    case 2, 3, 4:
      do { try dispatcher.runNextBackgroundTask() } catch StepError.nothingQueued {
      } catch StepError.nothingRunnable {}
    case 5: try dispatcher.runUntilIdle(limit: 10_000_000)
    case 6: try dispatcher.advanceTime(by: .microseconds(dice.roll(400)))
    default: try dispatcher.skipTime(by: .microseconds(dice.roll(400)))
    }
  }
}

extension Dice {
  /// How often the submissions and the steps of a round in the fake are made. The seed chooses it and no clock does, so
  /// a replay comes to the same dispatcher. Most rounds are short: many faults are in what a shutdown finds.
  mutating func lengthOfRound() -> Int { once(in: 64) ? 200 + roll(3_000) : 1 + roll(32) }
}
