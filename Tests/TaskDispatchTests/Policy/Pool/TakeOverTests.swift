import TestSupport
import Testing

@testable import TaskDispatch

@Suite("A task that takes the place of the one that ended")
struct TakeOverTests {
  @Test("is the one that the end and a start would have let start, in every short program")
  func everyShortProgram() throws {
    let takenOver = try takeOverInEveryProgram(
      of: PoolTrial(width: 2, viewWidths: [[1, 1]]), inQueue: 0, after: submissions)
    #expect(takenOver.takenOver > 0)
  }

  /// Submits two tasks of a queue, starts one, and does three of `steps`. Half of all programs start one more.
  /// Then a task ends and another takes its place. Returns how many took a place in all programs together.
  private func takeOverInEveryProgram(
    of fresh: @autoclosure () -> PoolTrial, inQueue queue: Int, after steps: [PoolTrial.Step]
  ) throws -> (takenOver: Int, inViews: Int) {
    var (takenOver, inViews) = (0, 0)
    try forEveryProgram { choices in
      var trial = fresh()
      for _ in 0..<2 {
        trial.perform(.submit(to: queue, .medium, onCaller: false, isBarrier: false))
      }
      trial.perform(.start)
      for _ in 0..<3 {
        trial.perform(choices.choose(from: steps))
        if choices.isNew { try trial.check() }
      }
      if choices.choose(2) == 1 { trial.perform(.start) }
      trial.perform(.takeOver(from: trial.replaceableIDs[0]))
      try trial.check()
      takenOver += trial.takenOver
      inViews += trial.takenOverInViews
      try trial.drain()
    }
    return (takenOver, inViews)
  }

  @Test(
    "is the one that the end and a start would have let start, in long programs",
    arguments: 1...20 as ClosedRange<UInt64>)
  func longPrograms(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    // Once a head may have aged, the model knows only what each view would start.
    let ages = dice.once(in: 2)
    var trial = PoolTrial(
      width: 1 + dice.roll(3), viewWidths: [[2, 1]], isExact: !ages, setting: "seed \(seed)")
    for _ in 0..<1_000 {
      let (running, replaceable) = (trial.runningIDs, trial.replaceableIDs)
      switch dice.roll(24) {
      case 0..<5: trial.perform(.start)
      case 5..<8 where !running.isEmpty: trial.perform(.finish(running[dice.roll(running.count)]))
      case 8..<14 where !replaceable.isEmpty:
        trial.perform(.takeOver(from: replaceable[dice.roll(replaceable.count)]))
      case 14 where dice.once(in: 3) && trial.model.views[0].suspensions == 0:
        trial.perform(.suspend(0))
      case 14..<16 where trial.model.views[0].suspensions > 0: trial.perform(.resume(0))
      case 16 where ages: trial.perform(.wait(Int64(dice.roll(12))))
      case 17 where dice.once(in: 4):
        trial.perform(
          .submit(
            to: dice.roll(2), PriorityBand.allCases[dice.roll(4)], onCaller: dice.once(in: 4),
            isBarrier: dice.once(in: 4)))
      default: trial.perform(.submit(to: 0, .medium, onCaller: false, isBarrier: false))
      }
      try trial.check()
    }
    #expect(trial.takenOver > 0)
    try trial.drain()
  }

  @Test("is taken while only one band of the background has work")
  func isTaken() {
    var pool = PoolOrder<Job>(width: 2, agingStep: 10)
    for id in 0..<3 {
      _ = pool.submit(Job(id: id, band: .low), to: pool.background, in: .low, now: { 0 })
    }
    let first = pool.start(now: { 0 })

    #expect(pool.takeOver { _ in true }?.id == 1)
    #expect(pool.takeOver { _ in true }?.id == 2)
    #expect(pool.takeOver { _ in true } == nil)

    #expect(first?.taken.entry.id == 0)
    #expect(pool.busyWorkers == 1)
    #expect(pool.background.queue.onWorkers == 1)
  }

  @Test("is left where it was if it is not wanted")
  func isNotWanted() {
    var pool = PoolOrder<Job>(width: 1, agingStep: 10)
    for id in 0..<2 {
      _ = pool.submit(Job(id: id, band: .high), to: pool.background, in: .high, now: { 0 })
    }
    let first = pool.start(now: { 0 })!

    #expect(pool.takeOver { $0.id != 1 } == nil)
    pool.finish(first, now: { 0 })

    #expect(pool.start(now: { 0 })?.taken.entry.id == 1)
  }

  @Test(
    "of a view is the one that the end and a start would have let start, in every short program")
  func everyShortProgramOfViews() throws {
    let takenOver = try takeOverInEveryProgram(
      of: PoolTrial(width: 2, viewWidths: [[2, 2], [1, 1]]), inQueue: 1, after: submissionsToViews)
    #expect(takenOver.inViews > 0)
  }

  @Test("is not looked for where a caller of `sync` waits, which may be next", arguments: 2...3)
  func callerBehind(width: Int) {
    var pool = PoolOrder<Job>(width: width, agingStep: 10)
    let view = PoolView<Job>(width: width, workerWidth: width, agingStep: 10)
    for id in 0..<3 {
      _ = pool.submit(
        Job(id: id, band: .medium, runsOnCaller: id == 2), to: view, in: .medium, now: { 0 })
      if id == 0 { #expect(pool.start(now: { 0 })?.taken.entry.id == 0) }
    }

    #expect(pool.takeOver(of: view) { _ in true } == nil)
  }

  private let submissionsToViews: [PoolTrial.Step] = [
    .submit(to: 1, .medium, onCaller: false, isBarrier: false),
    .submit(to: 1, .high, onCaller: false, isBarrier: false),
    .submit(to: 1, .medium, onCaller: false, isBarrier: true),
    .submit(to: 1, .low, onCaller: true, isBarrier: false),
    .submit(to: 2, .medium, onCaller: false, isBarrier: false),
    .submit(to: 0, .low, onCaller: false, isBarrier: false),
    .suspend(1),
  ]

  private let submissions: [PoolTrial.Step] = [
    .submit(to: 0, .medium, onCaller: false, isBarrier: false),
    .submit(to: 0, .high, onCaller: false, isBarrier: false),
    .submit(to: 0, .medium, onCaller: false, isBarrier: true),
    .submit(to: 0, .medium, onCaller: true, isBarrier: false),
    .submit(to: 1, .high, onCaller: false, isBarrier: false),
    .submit(to: 1, .medium, onCaller: true, isBarrier: false),
    .suspend(0),
  ]
}
