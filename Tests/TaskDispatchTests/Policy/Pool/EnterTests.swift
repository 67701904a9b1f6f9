import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A caller's entry that is not put into its view")
struct EnterTests {
  @Test("is one that would have been let start at once, in every short program")
  func everyShortProgram() throws {
    var entered = 0
    try forEveryProgram { choices in
      var trial = PoolTrial(width: 2, viewWidths: [[2, 1]])
      for _ in 0..<3 {
        let ends = trial.runningIDs.map { PoolTrial.Step.finish($0) }
        trial.perform(choices.choose(from: submissions + ends))
        if choices.isNew { try trial.check() }
      }
      let view = choices.choose(2)
      trial.perform(.enter(view, isBarrier: choices.choose(2) == 1))
      try trial.check()
      entered += trial.entered
      try trial.drain()
    }
    #expect(entered > 0)
  }

  @Test(
    "is one that would have been let start at once, in long programs",
    arguments: 1...20 as ClosedRange<UInt64>)
  func longPrograms(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var trial = PoolTrial(
      width: 1 + dice.roll(3), viewWidths: [[3, 2], [1, 1]], setting: "seed \(seed)")
    for _ in 0..<1_000 {
      let running = trial.runningIDs
      switch dice.roll(24) {
      case 0..<4: trial.perform(.start)
      case 4..<12 where !running.isEmpty: trial.perform(.finish(running[dice.roll(running.count)]))
      case 12 where trial.model.views[1].suspensions == 0: trial.perform(.suspend(1))
      case 13 where trial.model.views[1].suspensions > 0: trial.perform(.resume(1))
      case 14..<17:
        trial.perform(
          .submit(
            to: dice.roll(3), PriorityBand.allCases[dice.roll(4)], onCaller: dice.once(in: 3),
            isBarrier: dice.once(in: 4)))
      default: trial.perform(.enter(dice.roll(3), isBarrier: dice.once(in: 4)))
      }
      try trial.check()
    }
    #expect(trial.entered > 0)
    try trial.drain()
  }

  @Test("runs in an empty view that has room, and a barrier in one where nothing runs")
  func enters() {
    var view = ViewQueue<Job>(width: 2, workerWidth: 1, agingStep: 10)

    let barrier = view.enter(asBarrier: true)
    let beside = view.enter(asBarrier: false)
    view.finish(.caller, isBarrier: true)
    let next = [view.enter(asBarrier: false), view.enter(asBarrier: false)]
    let tooMany = view.enter(asBarrier: false)

    #expect((barrier, beside) == (true, false))
    #expect(next == [true, true])
    #expect(!tooMany)
    #expect(view.running == 2)
  }

  private let submissions: [PoolTrial.Step] = [
    .submit(to: 0, .medium, onCaller: false, isBarrier: false),
    .submit(to: 0, .low, onCaller: false, isBarrier: true),
    .submit(to: 0, .medium, onCaller: true, isBarrier: false),
    .submit(to: 1, .high, onCaller: false, isBarrier: false),
    .submit(to: 1, .medium, onCaller: true, isBarrier: true),
    .enter(0, isBarrier: false),
    .enter(1, isBarrier: false),
    .suspend(1),
    .start,
  ]
}
