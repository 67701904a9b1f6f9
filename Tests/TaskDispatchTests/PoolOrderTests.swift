import RandomTesting
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

  @Test("moves a view's ready token up when a higher task arrives")
  func movesTurnsUp() {
    var line = PoolLine(width: 1, views: 3)
    line.submit([1, 2, 3], in: .medium)

    line.submit([3], in: .high)

    #expect(line.startsOneByOne() == [3, 1, 2, 3])
  }

  @Test("leaves no high ready token behind for a high task that was cancelled")
  func movesTurnsDown() {
    var line = PoolLine(width: 1, views: 3)
    line.submit([1, 2, 3], in: .medium)
    let cancelled = line.submit(3, in: .high)

    line.remove(cancelled)

    #expect(line.startsOneByOne() == [1, 2, 3])
  }

  @Test("keeps the ready token of a view for its next task when the first is cancelled")
  func keepsTurnsOfCancelledTasks() {
    var line = PoolLine(width: 1, views: 3)
    let cancelled = line.submit(1, in: .medium)
    line.submit([2, 3, 1], in: .medium)

    line.remove(cancelled)

    #expect(line.startsOneByOne() == [1, 2, 3])
  }

  @Test("does not let a view with a long queue hold another back")
  func alternates() {
    var line = PoolLine(width: 1, views: 2)
    line.submit([1, 1, 1, 1, 2, 2], in: .medium)

    #expect(line.startsOneByOne() == [1, 2, 1, 2, 1, 1])
  }

  @Test("puts what the background already had to do before what a view begins to want")
  func startsTheOlderBackgroundFirst() {
    var line = PoolLine(width: 1, views: 1)
    line.submit([0, 0, 0, 1, 1], in: .medium)

    #expect(line.startsOneByOne() == [0, 1, 0, 1, 0])
  }

  @Test("keeps the age of the background's ready token while it has none to contend with")
  func keepsTheAgeOfRestingTurns() {
    var pool = PoolOrder<Job>(width: 1, agingStep: 10)
    let view = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
    _ = pool.submit(Job(id: -1, band: .medium), to: pool.background, in: .medium, now: { 0 })
    for id in 0..<4 { _ = pool.submit(Job(id: id, band: .high), to: view, in: .high, now: { 0 }) }
    var order: [Int] = []

    for time in [0, 5, 9, 10, 11] as [Int64] {
      let started = pool.start(now: { time })!
      order.append(started.taken.entry.id)
      pool.finish(started, now: { time })
    }

    #expect(order == [0, 1, 2, -1, 3])
  }

  @Test("is taken straight from the background's queue again once no view has work")
  func goesStraightAgain() {
    var pool = PoolOrder<Job>(width: 1, agingStep: 10)
    let view = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
    func submit(_ id: Int, to view: PoolView<Job>) -> Int {
      pool.submit(Job(id: id, band: .medium), to: view, in: .medium, now: { 0 })
    }

    _ = submit(0, to: pool.background)
    #expect(pool.usesTokens == false)
    _ = submit(1, to: view)
    let cancelled = submit(2, to: view)
    #expect(pool.usesTokens == true)
    _ = pool.remove(at: cancelled, in: .medium, isBarrier: false, from: view, now: { 0 })
    for _ in 0..<2 { pool.finish(pool.start(now: { 0 })!, now: { 0 }) }
    #expect(pool.usesTokens == false)

    _ = submit(3, to: pool.background)
    _ = submit(4, to: pool.background)
    #expect(pool.usesTokens == false)
    let started = pool.start(now: { 0 })!
    #expect(pool.background.queue.heldTokens.count == 0)
    pool.finish(started, now: { 0 })
    #expect(pool.background.queue.heldTokens.count == 0 && pool.viewsWithTokens == 0)
  }

  @Test("finds every ready token again after many others were dropped, and keeps few dead ones")
  func compactsTurns() {
    var pool = PoolOrder<Job>(width: 2, agingStep: 10)
    let views = (0..<4).map { _ in PoolView<Job>(width: 2, workerWidth: 2, agingStep: 10) }
    func submit(_ id: Int, to view: Int) -> Int {
      pool.submit(Job(id: id, band: .medium), to: views[view], in: .medium, now: { 0 })
    }
    func remove(_ position: Int, from view: Int) {
      _ = pool.remove(
        at: position, in: .medium, isBarrier: false, from: views[view], now: { 0 })
    }
    let cancelledLater = submit(0, to: 0)
    _ = submit(1, to: 1)
    for id in 10..<200 {
      remove(submit(id, to: 3), from: 3)
      #expect(pool.tokens.deadSlots <= 2 + ReadyQueue<Int>.deadAllowance)
    }
    _ = submit(2, to: 2)

    remove(cancelledLater, from: 0)

    #expect(pool.tokens.count == 2)
    #expect(pool.start(now: { 0 })?.taken.entry.id == 1)
    #expect(pool.start(now: { 0 })?.taken.entry.id == 2)
    #expect(pool.viewsWithTokens == 0)
  }

  @Test("gives a new task of the background no age of one that was cancelled or has started")
  func forgetsTheAgeOfTurnsThatAreGone() {
    for cancels in [false, true] {
      var pool = PoolOrder<Job>(width: 2, agingStep: 10)
      let view = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
      func submit(_ id: Int, to view: PoolView<Job>, in band: PriorityBand) -> Int {
        pool.submit(Job(id: id, band: band), to: view, in: band, now: { 0 })
      }
      let position = submit(-1, to: pool.background, in: .medium)
      if !cancels { _ = submit(-2, to: pool.background, in: .medium) }
      for id in 0..<3 { _ = submit(id, to: view, in: .high) }
      let first = pool.start(now: { 0 })!
      if cancels {
        _ = pool.remove(
          at: position, in: .medium, isBarrier: false, from: pool.background, now: { 0 })
        _ = submit(-2, to: pool.background, in: .medium)
      } else {
        pool.finish(pool.start(now: { 0 })!, now: { 0 })
      }

      pool.finish(first, now: { 20 })

      #expect(first.taken.entry.id == 0)
      #expect(pool.start(now: { 20 })?.taken.entry.id == 1)
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

  @Test("lets a caller run whose task has come of age, when a helper looks and when a worker does")
  func grantsWhatComesOfAge() {
    for (helps, isBackground) in [(false, false), (false, true), (true, false), (true, true)] {
      var pool = PoolOrder<Job>(width: 1, agingStep: 10)
      let own = PoolView<Job>(width: 1, workerWidth: 1, agingStep: 10)
      let view = isBackground ? pool.background : own
      let caller = Job(id: 9, band: .medium, runsOnCaller: true)
      _ = pool.submit(Job(id: 0, band: .high), to: view, in: .high, now: { 0 })
      _ = pool.submit(Job(id: 1, band: .high), to: view, in: .high, now: { 0 })
      _ = pool.submit(caller, to: view, in: .medium, now: { 0 })
      let first = pool.start(now: { 0 })!
      pool.finish(first, now: { 9 })
      #expect(pool.takeAdmitted().count == 0)

      #expect(pool.canStart(now: { 10 }) == true)
      let next = helps ? pool.startToHelp(view, now: { 10 }) : pool.start(now: { 10 })

      #expect(next == nil)
      let admitted = pool.takeAdmitted()
      #expect(admitted.map(\.taken.entry.id) == [9])
      guard let grant = admitted.first else { continue }
      pool.finish(grant, now: { 10 })
      #expect(pool.start(now: { 10 })?.taken.entry.id == 1)
    }
  }

  @Test(
    "admits and starts everything while its clock runs on between any two looks",
    arguments: [1, 3])
  func leavesNothingBehindWhileItsClockRuns(viewCount: Int) {
    for seed in 0..<100 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var time: Int64 = 0
      let tick = Int64(1 + dice.roll(9))
      func now() -> Int64 {
        time += tick
        return time
      }
      var pool = PoolOrder<Job>(width: 1 + dice.roll(2), agingStep: 10)
      let views =
        [pool.background]
        + (1..<viewCount).map { _ in
          PoolView<Job>(width: 2, workerWidth: 1 + dice.roll(2), agingStep: 10)
        }
      var running: [PoolOrder<Job>.Started] = []
      for id in 0..<24 {
        let band = PriorityBand.allCases[dice.roll(4)]
        let job = Job(id: id, band: band, runsOnCaller: dice.once(in: 2))
        _ = pool.submit(job, to: views[dice.roll(viewCount)], in: band, now: now)
        running += pool.takeAdmitted()
      }
      while true {
        if let started = pool.start(now: now) {
          #expect(started.taken.entry.runsOnCaller == false, "seed \(seed)")
          running.append(started)
        }
        running += pool.takeAdmitted()
        guard let first = running.first else { break }
        running.removeFirst()
        pool.finish(first, now: now)
        running += pool.takeAdmitted()
      }
      for view in views { #expect(view.queue.ready.count == 0, "seed \(seed)") }
    }
  }

  @Test("starts a task of the background in the same look that finds a caller's come of age")
  func startsBesideTheGrant() {
    var pool = PoolOrder<Job>(width: 2, agingStep: 10)
    let caller = Job(id: 9, band: .medium, runsOnCaller: true)
    for id in 0..<2 {
      _ = pool.submit(Job(id: id, band: .high), to: pool.background, in: .high, now: { 0 })
    }
    _ = pool.submit(caller, to: pool.background, in: .medium, now: { 0 })
    pool.finish(pool.start(now: { 0 })!, now: { 9 })

    #expect(pool.start(now: { 10 })?.taken.entry.id == 1)
    #expect(pool.takeAdmitted().map(\.taken.entry.id) == [9])
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

/// A pool and some views, all of width 2 and named by number: 0 is the background.
private struct PoolLine: ~Copyable {
  private var pool: PoolOrder<Job>
  private let views: [PoolView<Job>]
  private var running: [PoolOrder<Job>.Started] = []
  private var nextID = 0

  init(width: Int, views count: Int) {
    pool = PoolOrder(width: width, agingStep: 1_000)
    let width = min(width, 2)
    views =
      [pool.background]
      + (0..<count).map { _ in PoolView(width: width, workerWidth: width, agingStep: 1_000) }
  }

  struct Ticket {
    let view: Int
    let position: Int
    let band: PriorityBand
  }

  @discardableResult
  mutating func submit(_ view: Int, in band: PriorityBand) -> Ticket {
    nextID += 1
    let job = Job(id: nextID, band: band)
    let position = pool.submit(job, to: views[view], in: band, now: { 0 })
    return Ticket(view: view, position: position, band: band)
  }

  mutating func submit(_ views: [Int], in band: PriorityBand) {
    for view in views { submit(view, in: band) }
  }

  mutating func submitBarrier(_ view: Int) {
    nextID += 1
    let job = Job(id: nextID, band: .medium, isBarrier: true)
    _ = pool.submit(job, to: views[view], in: .medium, isBarrier: true, now: { 0 })
  }

  mutating func remove(_ ticket: Ticket) {
    _ = pool.remove(
      at: ticket.position, in: ticket.band, isBarrier: false, from: views[ticket.view],
      now: { 0 })
  }

  /// Starts all tasks that may start now, and returns their views.
  mutating func startAll() -> [Int] {
    var started: [Int] = []
    while let next = pool.start(now: { 0 }) {
      running.append(next)
      started.append(views.firstIndex { $0 === next.view }!)
    }
    return started
  }

  mutating func finishFirst(of view: Int) {
    let index = running.firstIndex { $0.view === views[view] }!
    pool.finish(running.remove(at: index), now: { 0 })
  }

  /// The views in the order of their starts, where each task ends before the next starts.
  mutating func startsOneByOne() -> [Int] {
    var order: [Int] = []
    while let next = pool.start(now: { 0 }) {
      order.append(views.firstIndex { $0 === next.view }!)
      pool.finish(next, now: { 0 })
    }
    return order
  }
}
