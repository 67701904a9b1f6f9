import TestSupport
import Testing

@testable import TaskDispatch

@Suite("The pool's order")
struct PoolOrderTests {
  /// A pool's width, and the width and worker width of its views.
  struct Setting: Sendable {
    let width: Int
    let views: [[Int]]
  }

  static let settings = [
    Setting(width: 1, views: [[1, 1], [2, 2]]), Setting(width: 2, views: [[2, 2], [3, 2]]),
    Setting(width: 2, views: [[1, 1], [2, 1]]),
  ]

  @Test("starts what the ready tokens say, after every few submissions", arguments: settings)
  func startsInTurnAfterEverySubmissions(setting: Setting) throws {
    try forEveryProgram { choices in
      var trial = PoolTrial(width: setting.width, viewWidths: setting.views)
      for _ in 0..<3 {
        trial.perform(choices.choose(from: submissions))
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
  }

  @Test(
    "starts what the ready tokens say, in every short program of two views",
    arguments: settings[..<2])
  func startsInTurnInEveryShortProgram(setting: Setting) throws {
    try forEveryProgram { choices in
      var trial = PoolTrial(width: setting.width, viewWidths: setting.views)
      for view in [0, 1, 2, 0, 1, 2] {
        trial.perform(.submit(to: view, .medium, onCaller: false, isBarrier: false))
      }
      trial.perform(.submit(to: 1, .medium, onCaller: false, isBarrier: true))
      trial.perform(.submit(to: 1, .high, onCaller: false, isBarrier: false))
      for _ in 0..<3 {
        trial.perform(choices.choose(from: trial.possibleSteps))
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
  }

  @Test(
    "starts what the ready tokens say, in long programs", arguments: 1...20 as ClosedRange<UInt64>)
  func startsInTurnInLongPrograms(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var trial = randomTrial(&dice, isExact: true, setting: "seed \(seed)")
    for _ in 0..<700 {
      trial.randomStep(&dice, longestWait: 0)
      try trial.check()
    }
    try trial.drain()
  }

  @Test(
    "keeps every view's order and width and leaves no worker idle, in long programs with aging",
    arguments: 1...30 as ClosedRange<UInt64>)
  func keepsTheViewsRulesInLongPrograms(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var trial = randomTrial(&dice, isExact: false, setting: "seed \(seed)")
    for _ in 0..<700 {
      trial.randomStep(&dice, longestWait: 25)
      try trial.check()
    }
    try trial.drain()
  }

  @Test("is the order of a plain ready queue while only the background has work")
  func isPlainOrderOfTheBackground() {
    for seed in 0..<20 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var pool = PoolOrder<Job>(width: 3, agingStep: 10)
      var plain = ReadyQueue<Int>(agingStep: 10)
      let idle = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
      var time: Int64 = 0
      for id in 0..<400 {
        let band = PriorityBand.allCases[dice.roll(4)]
        _ = pool.submit(Job(id: id, band: band), to: pool.background, in: band, now: { time })
        plain.push(id, in: band)
        // A look at a view without work changes nothing.
        if dice.once(in: 9) { pool.suspend(idle, now: { time }) }
        guard dice.once(in: 2) else { continue }
        time += Int64(dice.roll(12))
        let started = pool.start(now: { time })!
        let expected = plain.take(at: time)
        #expect(started.taken.entry.id == expected, "seed \(seed)")
        pool.finish(started, now: { time })
      }
    }
  }

  @Test("lets a barrier hold back its own view only")
  func barriersConcernTheirView() {
    var line = PoolLine(width: 4, views: 2)
    line.submit([1, 2], in: .medium)
    line.submitBarrier(1)
    line.submit([1, 2, 0], in: .medium)

    #expect(line.startAll() == [1, 2, 2, 0])
    line.finishFirst(of: 1)
    #expect(line.startAll() == [1])
    #expect(line.startAll() == [])
    line.finishFirst(of: 1)
    #expect(line.startAll() == [1])
  }

  @Test("lets go of a view whose last task has run")
  func letsGoOfViews() {
    var pool = PoolOrder<Job>(width: 1, agingStep: 1)
    weak var leftover: PoolView<Job>?
    do {
      let view = PoolView<Job>(width: 2, workerWidth: 2, agingStep: 1)
      leftover = view
      for id in 0..<3 {
        _ = pool.submit(Job(id: id, band: .low), to: view, in: .low, now: { 0 })
      }
    }

    while let started = pool.start(now: { 0 }) { pool.finish(started, now: { 0 }) }

    #expect(leftover == nil)
  }

  private let submissions: [PoolTrial.Step] = [
    .submit(to: 0, .medium, onCaller: false, isBarrier: false),
    .submit(to: 0, .high, onCaller: false, isBarrier: false),
    .submit(to: 0, .medium, onCaller: false, isBarrier: true),
    .submit(to: 1, .medium, onCaller: false, isBarrier: false),
    .submit(to: 1, .high, onCaller: false, isBarrier: false),
    .submit(to: 1, .medium, onCaller: true, isBarrier: false),
    .submit(to: 1, .low, onCaller: false, isBarrier: true),
    .submit(to: 2, .medium, onCaller: false, isBarrier: false),
    .submit(to: 2, .low, onCaller: false, isBarrier: false),
    .submit(to: 2, .medium, onCaller: true, isBarrier: true),
  ]

  private func randomTrial(_ dice: inout Dice, isExact: Bool, setting: String) -> PoolTrial {
    let widths = (0..<1 + dice.roll(4)).map { _ in
      let width = 1 + dice.roll(4)
      return [width, 1 + dice.roll(width)]
    }
    return PoolTrial(
      width: 1 + dice.roll(4), viewWidths: widths, isExact: isExact, setting: setting)
  }
}

extension PoolTrial {
  fileprivate var possibleSteps: [Step] {
    var steps: [Step] = [.start]
    for id in runningIDs { steps.append(.finish(id)) }
    for (number, view) in model.views.enumerated() {
      if view.suspensions == 0 { steps.append(.suspend(number)) }
      if view.suspensions > 0 { steps.append(.resume(number)) }
      if view.forHelper(at: 0) != nil { steps.append(.help(number)) }
      if let first = view.order.waiting.first { steps.append(.remove(first.id)) }
    }
    return steps
  }

  fileprivate mutating func randomStep(_ dice: inout Dice, longestWait: Int) {
    let view = dice.roll(model.views.count)
    let waiting = model.views[view].order.waiting
    switch dice.roll(24) {
    case 0..<7: perform(.start)
    case 7..<12 where !runningIDs.isEmpty:
      perform(.finish(runningIDs[dice.roll(runningIDs.count)]))
    case 12: perform(.help(view))
    case 13 where !waiting.isEmpty: perform(.remove(waiting[dice.roll(waiting.count)].id))
    case 14 where dice.once(in: 4) && model.views[view].suspensions < 2: perform(.suspend(view))
    case 15..<17 where model.views[view].suspensions > 0: perform(.resume(view))
    case 17 where waiting.count > 40:
      // The removal of one entry may admit a call of `sync`, so a later one of these may be gone.
      for waiting in waiting.suffix(38) where isWaiting(waiting.id) { perform(.remove(waiting.id)) }
    case 18: perform(.wait(Int64(dice.roll(longestWait + 1))))
    default:
      let band = PriorityBand.allCases[dice.roll(4)]
      let onCaller = dice.once(in: 5)
      perform(.submit(to: view, band, onCaller: onCaller, isBarrier: dice.once(in: 7)))
    }
  }
}
