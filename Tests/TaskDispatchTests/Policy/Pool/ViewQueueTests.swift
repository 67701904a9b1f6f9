import TestSupport
import Testing

@testable import TaskDispatch

@Suite("The queue of a view")
struct ViewQueueTests {
  static let widths = [[1, 1], [2, 1], [3, 2]]

  @Test(
    "starts what width, barriers, suspension and callers allow, in every short program",
    arguments: widths)
  func keepsItsRulesInEveryShortProgram(widths: [Int]) throws {
    try forEveryProgram { choices in
      var trial = ViewTrial(width: widths[0], workerWidth: widths[1])
      for _ in 0..<4 {
        trial.perform(choices.choose(from: trial.possibleSteps))
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
  }

  @Test("holds barriers apart from all before and after, in every short program")
  func barriersInEveryShortProgram() throws {
    try forEveryProgram { choices in
      var trial = ViewTrial(width: 2, workerWidth: 2)
      for _ in 0..<6 {
        trial.perform(choices.choose(from: trial.possibleStepsOfWorkers))
        if choices.isNew { try trial.check() }
      }
      try trial.drain()
    }
  }

  @Test(
    "keeps its rules in long programs, in which heads age", arguments: 1...8 as ClosedRange<UInt64>)
  func keepsItsRulesInLongPrograms(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let width = 1 + dice.roll(4)
    var trial = ViewTrial(
      width: width, workerWidth: 1 + dice.roll(width), agingStep: 10, setting: "seed \(seed)")
    for _ in 0..<1_500 {
      trial.randomStep(&dice)
      try trial.check()
    }
    try trial.drain()
  }

  @Test("runs no more on workers than its width, however many workers it may have")
  func clampsWorkerWidth() {
    let view = ViewQueue<Job>(width: 2, workerWidth: 5, agingStep: 1)

    #expect(view.workerWidth == 2)
    #expect(view.workerRoom == 2)
  }

  @Test("counts callers and helpers against its width, not against its workers")
  func countsCallersAgainstItsWidth() {
    var view = ViewQueue<Job>(width: 3, workerWidth: 1, agingStep: 1)
    for id in 0..<3 { _ = view.push(Job(id: id, band: .medium), in: .medium) }
    _ = view.push(Job(id: 3, band: .medium, runsOnCaller: true), in: .medium)
    _ = view.push(Job(id: 4, band: .medium), in: .medium)

    #expect(view.takeForWorker(now: { 0 })?.entry.id == 0)
    #expect(view.takeForWorker(now: { 0 }) == nil)
    #expect(view.takeToHelp(now: { 0 })?.entry.id == 1)
    #expect(view.takeToHelp(now: { 0 })?.entry.id == 2)
    #expect(view.takeForCaller(now: { 0 }) == nil)
    view.finish(.caller, isBarrier: false)
    #expect(view.takeForCaller(now: { 0 })?.entry.id == 3)
    view.finish(.caller, isBarrier: false)
    #expect(view.takeForWorker(now: { 0 }) == nil)
    view.finish(.worker, isBarrier: false)
    #expect(view.takeForWorker(now: { 0 })?.entry.id == 4)
    #expect(view.running == 2 && view.onCallers == 1 && view.onWorkers == 1)
  }

  @Test("goes on after as many resumes as suspends")
  func nestsSuspensions() {
    var view = ViewQueue<Job>(width: 1, workerWidth: 1, agingStep: 1)
    _ = view.push(Job(id: 0, band: .medium), in: .medium)
    view.suspend()
    view.suspend()

    #expect(view.resume() == false)
    #expect(view.suspensions == 1 && view.isSuspended == true)
    #expect(view.takeForWorker(now: { 0 }) == nil)
    #expect(view.resume() == true)
    #expect(view.takeForWorker(now: { 0 })?.entry.id == 0)
  }

  @Test("never asks the time unless a caller waits or a head is passed over")
  func asksTheTimeRarely() {
    var view = ViewQueue<Job>(width: 9, workerWidth: 9, agingStep: 1)
    func never() -> Int64 {
      Issue.record("asked the time")
      return 0
    }
    for id in 0..<3 { _ = view.push(Job(id: id, band: .low), in: .low) }
    _ = view.pushBarrier(Job(id: 3, band: .low), in: .low)

    _ = view.wantedTokens(now: never)
    #expect(view.takeForWorker(now: never)?.entry.id == 0)
    #expect(view.takeToHelp(now: never)?.entry.id == 1)
    #expect(view.takeForCaller(now: never) == nil)
  }

  @Test("never asks the time once no caller waits any more")
  func asksTheTimeForCallersOnly() {
    var view = ViewQueue<Job>(width: 9, workerWidth: 9, agingStep: 1)
    func never() -> Int64 {
      Issue.record("asked the time")
      return 0
    }
    for id in 0..<3 {
      let job = Job(id: id, band: .high, runsOnCaller: id > 0)
      let position = view.push(job, in: .high)
      if id == 1 { _ = view.remove(at: position, in: .high, isBarrier: false) }
    }
    _ = view.pushBarrier(Job(id: 3, band: .low, runsOnCaller: true), in: .low)
    #expect(view.takeForWorker(now: { 0 })?.entry.id == 0)
    #expect(view.takeForCaller(now: { 0 })?.entry.id == 2)
    view.finish(.worker, isBarrier: false)
    view.finish(.caller, isBarrier: false)
    #expect(view.takeForCaller(now: { 0 })?.entry.id == 3)
    view.finish(.caller, isBarrier: true)
    for id in 4..<6 { _ = view.push(Job(id: id, band: .low), in: .low) }
    _ = view.push(Job(id: 6, band: .high), in: .high)

    _ = view.wantedTokens(now: never)
    #expect(view.takeForCaller(now: never) == nil)
  }
}

@Suite("The queue of a view while its clock runs")
struct RunningClockViewQueueTests {
  @Test("gives a worker no task of a caller, at whatever moment a head comes of age")
  func givesWorkersNoTaskOfCallers() {
    for tick in 1...12 as ClosedRange<Int64> {
      var view = agingView(callersOwn: .low)
      var time: Int64 = 0
      var taken: [Bool] = []
      while let next = view.takeForWorker(now: {
        time += tick
        return time
      }) {
        taken.append(next.entry.runsOnCaller)
      }
      #expect(!taken.contains(true), "tick \(tick)")
    }
  }

  @Test("gives a helper no task of a caller, at whatever moment a head comes of age")
  func givesHelpersNoTaskOfCallers() {
    for tick in 1...12 as ClosedRange<Int64> {
      var view = agingView(callersOwn: .low)
      var time: Int64 = 0
      while let next = view.takeToHelp(now: {
        time += tick
        return time
      }) {
        #expect(next.entry.runsOnCaller == false, "tick \(tick)")
      }
    }
  }

  @Test("gives a caller no other's task, at whatever moment a head comes of age")
  func givesCallersOnlyTheirs() {
    for tick in 1...12 as ClosedRange<Int64> {
      var view = agingView(callersOwn: .high)
      var time: Int64 = 0
      while let next = view.takeForCaller(now: {
        time += tick
        return time
      }) {
        #expect(next.entry.runsOnCaller, "tick \(tick)")
      }
    }
  }

  /// A view with thirty tasks of the high band and one of the low band. The tasks of `band` belong to calls of
  /// `sync`.
  private func agingView(callersOwn band: PriorityBand) -> ViewQueue<Job> {
    var view = ViewQueue<Job>(width: 100, workerWidth: 100, agingStep: 10)
    for id in 0..<30 {
      _ = view.push(Job(id: id, band: .high, runsOnCaller: band == .high), in: .high)
    }
    _ = view.push(Job(id: 30, band: .low, runsOnCaller: band == .low), in: .low)
    return view
  }
}

/// Performs each step on a view's queue and on its naive model.
private struct ViewTrial: ~Copyable {
  enum Step {
    case push(PriorityBand, onCaller: Bool, isBarrier: Bool)
    case takeForWorker, takeForCaller, takeToHelp
    case finish(Int)
    case suspend, resume
    case remove(Int)
    case wait(Int64)
  }

  private var view: ViewQueue<Job>
  private var model: NaiveView
  private var jobs: [Int: Job] = [:]
  private var nextID = 0
  private var time: Int64 = 0
  private var steps: [Step] = []
  private var surprise: String?
  private let setting: String

  init(width: Int, workerWidth: Int, agingStep: Int64 = 10, setting: String = "") {
    view = ViewQueue(width: width, workerWidth: workerWidth, agingStep: agingStep) {
      $0.position = $1
    }
    model = NaiveView(width: width, workerWidth: workerWidth, agingStep: agingStep)
    self.setting = "width \(width), workers \(workerWidth) \(setting)"
  }

  var possibleSteps: [Step] {
    var steps = possibleStepsOfWorkers
    steps.append(.push(.high, onCaller: false, isBarrier: false))
    steps.append(.push(.medium, onCaller: true, isBarrier: false))
    steps.append(.push(.medium, onCaller: true, isBarrier: true))
    if model.forCaller(at: time) != nil { steps.append(.takeForCaller) }
    if model.forHelper(at: time) != nil { steps.append(.takeToHelp) }
    for waiting in model.order.waiting { steps.append(.remove(waiting.id)) }
    return steps
  }

  var possibleStepsOfWorkers: [Step] {
    var steps: [Step] = [
      .push(.medium, onCaller: false, isBarrier: false),
      .push(.medium, onCaller: false, isBarrier: true),
    ]
    if model.forWorker(at: time) != nil { steps.append(.takeForWorker) }
    for running in model.running { steps.append(.finish(running.id)) }
    if model.suspensions < 2 { steps.append(.suspend) }
    if model.suspensions > 0 { steps.append(.resume) }
    return steps
  }

  mutating func randomStep(_ dice: inout Dice) {
    let waiting = model.order.waiting
    switch dice.roll(20) {
    case 0: perform(.wait(Int64(dice.roll(30))))
    case 1..<3: perform(.takeToHelp)
    case 3..<5: perform(.takeForCaller)
    case 5..<9: perform(.takeForWorker)
    case 9..<13 where !model.running.isEmpty:
      perform(.finish(model.running[dice.roll(model.running.count)].id))
    case 13 where !waiting.isEmpty: perform(.remove(waiting[dice.roll(waiting.count)].id))
    case 14 where dice.once(in: 4) && model.suspensions < 3: perform(.suspend)
    case 15 where model.suspensions > 0: perform(.resume)
    case 16 where waiting.count > 60:
      for waiting in waiting.prefix(50) { perform(.remove(waiting.id)) }
    default:
      let band = PriorityBand.allCases[dice.roll(4)]
      perform(.push(band, onCaller: dice.once(in: 4), isBarrier: dice.once(in: 6)))
    }
  }

  mutating func perform(_ step: Step) {
    steps.append(step)
    let time = time
    switch step {
    case .push(let band, let onCaller, let isBarrier):
      let job = Job(id: nextID, band: band, isBarrier: isBarrier, runsOnCaller: onCaller)
      nextID += 1
      jobs[job.id] = job
      job.position = isBarrier ? view.pushBarrier(job, in: band) : view.push(job, in: band)
      model.push(job.id, in: band, isBarrier: isBarrier, runsOnCaller: onCaller)
    case .takeForWorker:
      note(view.takeForWorker(now: { time }), model.forWorker(at: time), onWorker: true)
    case .takeForCaller:
      note(view.takeForCaller(now: { time }), model.forCaller(at: time), onWorker: false)
    case .takeToHelp:
      note(view.takeToHelp(now: { time }), model.forHelper(at: time), onWorker: false)
    case .finish(let id):
      let running = model.running.first { $0.id == id }!
      view.finish(running.isOnWorker ? .worker : .caller, isBarrier: running.isBarrier)
      model.finish(id)
    case .suspend:
      view.suspend()
      model.suspend()
    case .resume:
      let goesOn = view.resume()
      model.resume()
      if goesOn != (model.suspensions == 0) { surprise = "resume said \(goesOn)" }
    case .remove(let id):
      let job = jobs.removeValue(forKey: id)!
      let removed: Job?
      if job.canBeVacated {
        let isOut = view.leaveTombstone(at: job.position, in: job.band)
        if isOut { letGoOfShare(in: job) }
        removed = isOut ? job : nil
      } else {
        removed = view.remove(at: job.position, in: job.band, isBarrier: job.isBarrier)
      }
      model.remove(id)
      if removed !== job { surprise = "did not remove \(id)" }
    case .wait(let duration):
      self.time += duration
    }
  }

  private mutating func note(_ taken: ViewQueue<Job>.Taken?, _ expected: Int?, onWorker: Bool) {
    if expected != nil { model.take(at: time, onWorker: onWorker) }
    guard let taken else {
      if let expected { surprise = "took nothing and not \(expected)" }
      return
    }
    jobs[taken.entry.id] = nil
    if taken.entry.id != expected || taken.isBarrier != taken.entry.isBarrier {
      surprise = "took \(taken.entry.id) and not \(expected, default: "nothing")"
    }
    if onWorker != (taken.runner == .worker) { surprise = "mistook the runner" }
  }

  /// Compares what can be seen, and tries every take that gives nothing according to the model.
  mutating func check() throws {
    let time = time
    if model.forWorker(at: time) == nil, view.takeForWorker(now: { time }) != nil {
      surprise = "gave a worker something"
    }
    if model.forCaller(at: time) == nil, view.takeForCaller(now: { time }) != nil {
      surprise = "gave a caller something"
    }
    if model.forHelper(at: time) == nil, view.takeToHelp(now: { time }) != nil {
      surprise = "gave a helper something"
    }
    if let difference = surprise ?? firstDifference() {
      throw Mismatch(difference, after: steps, of: setting)
    }
  }

  private mutating func firstDifference() -> String? {
    let time = time
    if view.running != model.running.count { return "\(view.running) run" }
    if view.onWorkers != model.onWorkers { return "\(view.onWorkers) on workers" }
    if view.running > view.width { return "more run than the width" }
    if view.onWorkers > view.workerWidth { return "more on workers than allowed" }
    if view.ready.count != model.order.waiting.count { return "\(view.ready.count) wait" }
    if view.isSuspended != (model.suspensions > 0) { return "isSuspended is wrong" }
    let wanted = view.wantedTokens(now: { time })
    let expected = model.wantedTokens(at: time)
    for band in PriorityBand.allCases {
      let count = expected.count { $0 == band }
      if wanted[band.index] != count { return "wants \(wanted[band.index]) turns in \(band)" }
    }
    return nil
  }

  /// Lets everything run that can, one task after the other, and expects that nothing is left.
  mutating func drain() throws {
    while model.suspensions > 0 { perform(.resume) }
    while surprise == nil {
      if model.forWorker(at: time) != nil {
        perform(.takeForWorker)
      } else if model.forCaller(at: time) != nil {
        perform(.takeForCaller)
      } else if let running = model.running.first {
        perform(.finish(running.id))
      } else {
        break
      }
    }
    try check()
    if !view.ready.isEmpty { throw Mismatch("something is stuck", after: steps, of: setting) }
  }
}
