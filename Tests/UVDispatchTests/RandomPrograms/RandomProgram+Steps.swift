import RandomTesting
import TaskDispatch
import TaskDispatchTesting
import TestSupport

extension RandomProgram {
  /// Runs the program of `seed` on the fake, all of it on this thread: the actions of its threads one after the
  /// other, and steps between them.
  static func inSteps(seed: Int) -> (trial: Trial, history: History) {
    let plan = Plan(seed: seed, isStepped: true)
    let book = HistoryBook()
    let dispatcher = RecordingDispatcher(
      .init(
        width: plan.workers, leftovers: .ignore, thrownErrors: .ignore, overflow: plan.overflow,
        agingStep: plan.agingStep, observer: book))
    let program = RandomProgram(plan, on: dispatcher, writing: book)
    program.actInSteps(on: dispatcher)
    let trial = program.trial(over: .max, dispatcher.report)
    return (trial, program.history(trial, dispatcher.report))
  }

  private func actInSteps(on dispatcher: RecordingDispatcher) {
    var dice = Dice(seed: plan.seed)
    var actors = (0..<plan.threads).map { thread in
      Actor(
        dice: Dice(seed: plan.seed << 8 + thread), parent: nil, depth: 0, mayWait: true)
    }
    let end = 1 + dice.roll(plan.actions)
    for action in 0..<plan.actions {
      if action == end { endEarly() }
      for index in actors.indices {
        act(&actors[index])
        step(dispatcher, &dice)
      }
    }
    for actor in actors {
      for held in actor.held { resume(held) }
      notes.withLock { $0.slips += actor.slips }
    }
    shutDown(.init(drain: .seconds(1)))
    _ = try? dispatcher.runUntilIdle()
    try? dispatcher.advanceTime(by: .seconds(10_000))
    try? dispatcher.finish()
  }

  private func step(_ dispatcher: RecordingDispatcher, _ dice: inout Dice) {
    switch dice.roll(8) {
    case 0: _ = try? dispatcher.runNextForegroundTask()
    case 1, 2: _ = try? dispatcher.runNextBackgroundTask()
    case 3: _ = try? dispatcher.runUntilIdle(limit: 1 + dice.roll(6))
    case 4: try? dispatcher.advanceTime(by: .microseconds(dice.roll(400)))
    case 5: try? dispatcher.skipTime(by: .microseconds(dice.roll(400)))
    default: break
    }
  }
}
