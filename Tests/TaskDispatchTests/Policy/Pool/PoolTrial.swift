import TestSupport

@testable import TaskDispatch

/// Performs each step on a pool's order and on its naive model.
struct PoolTrial: ~Copyable {
  enum Step {
    case submit(to: Int, PriorityBand, onCaller: Bool, isBarrier: Bool)
    /// An entry of a call of `sync`. It is not put in if it may run at once.
    case enter(Int, isBarrier: Bool)
    case start
    case help(Int)
    case finish(Int)
    case takeOver(from: Int)
    case suspend(Int)
    case resume(Int)
    case remove(Int)
    case wait(Int64)
  }

  private var pool: PoolOrder<Job>
  private let views: [PoolView<Job>]
  private(set) var model: NaivePool
  /// How often a task took the place of another in the background.
  private(set) var takenOver = 0
  private(set) var takenOverInViews = 0
  /// How often an entry of a call of `sync` was not put in.
  private(set) var entered = 0
  private var jobs: [Int: Job] = [:]
  private var running: [(id: Int, started: PoolOrder<Job>.Started)] = []
  private var nextID = 0
  private var time: Int64 = 0
  private var steps: [Step] = []
  private var surprise: String?
  /// The view that the last step was about, if the model is not exact.
  private var touched: Int?
  /// Whether the model knows which view's ready token is next. If not, it knows only what each view would
  /// start.
  private let isExact: Bool
  private let setting: String

  /// - Parameter viewWidths: Width and worker width of each view but the background, which is view 0.
  init(
    width: Int, viewWidths: [[Int]], agingStep: Int64 = 10, isExact: Bool = true,
    setting: String = ""
  ) {
    pool = PoolOrder(width: width, agingStep: agingStep) { $0.position = $1 }
    views =
      [pool.background]
      + viewWidths.map {
        PoolView(width: $0[0], workerWidth: $0[1], agingStep: agingStep) { $0.position = $1 }
      }
    model = NaivePool(width: width, viewWidths: viewWidths, agingStep: agingStep)
    self.isExact = isExact
    self.setting = "width \(width), views \(viewWidths) \(setting)"
  }

  var runningIDs: [Int] { running.map(\.id) }

  /// The tasks whose place another may take: tasks that a worker runs, apart from barriers.
  var replaceableIDs: [Int] {
    running.filter { _, started in
      started.taken.runner == .worker && !started.taken.isBarrier
    }.map(\.id)
  }

  func isWaiting(_ id: Int) -> Bool { jobs[id] != nil }

  mutating func perform(_ step: Step) {
    steps.append(step)
    let time = time
    var grants: [PoolOrder<Job>.Started] = []
    switch step {
    case .submit(let view, let band, let onCaller, let isBarrier):
      let job = Job(id: nextID, band: band, isBarrier: isBarrier, runsOnCaller: onCaller)
      nextID += 1
      jobs[job.id] = job
      job.position = pool.submit(
        job, to: views[view], in: band, isBarrier: isBarrier, now: { time })
      model.views[view].push(job.id, in: band, isBarrier: isBarrier, runsOnCaller: onCaller)
      reconcileModel(view)
    case .enter(let view, let isBarrier):
      let job = Job(id: nextID, band: .medium, isBarrier: isBarrier, runsOnCaller: true)
      nextID += 1
      jobs[job.id] = job
      if pool.enter(views[view], asBarrier: isBarrier) {
        entered += 1
        let taken = ViewQueue<Job>.Taken(entry: job, runner: .caller, isBarrier: isBarrier)
        grants = [PoolOrder<Job>.Started(taken: taken, view: views[view])]
      } else {
        job.position = pool.submit(
          job, to: views[view], in: .medium, isBarrier: isBarrier, now: { time })
      }
      model.views[view].push(job.id, in: .medium, isBarrier: isBarrier, runsOnCaller: true)
      reconcileModel(view)
    case .start:
      let canStart = pool.canStart(now: { time })
      checkTwoMayStart()
      let started = pool.start(now: { time })
      grants = pool.takeAdmitted()
      if canStart != (started != nil || !grants.isEmpty) { surprise = "canStart said \(canStart)" }
      let expected = isExact ? model.start(at: time) : expectation(of: started)
      note(started, expected, onWorker: true)
    case .help(let view):
      let started = pool.startToHelp(views[view], now: { time })
      note(started, model.help(view, at: time), onWorker: false)
      reconcileModel(view)
    case .finish(let id):
      let index = running.firstIndex { $0.id == id }!
      let started = running.remove(at: index).started
      pool.finish(started, now: { time })
      let view = number(of: started.view)
      model.views[view].finish(id)
      reconcileModel(view)
    case .takeOver(let id):
      let view = number(of: running.first { $0.id == id }!.started.view)
      // In the dispatcher only plain bodies may take over. Here every fifth job may not either.
      func isWanted(_ job: inout Job) -> Bool {
        !job.isBarrier && !job.runsOnCaller && job.id % 5 != 0
      }
      let next =
        view == 0 ? pool.takeOver(if: isWanted) : pool.takeOver(of: views[view], if: isWanted)
      guard let next else { break }
      if view == 0 { takenOver += 1 } else { takenOverInViews += 1 }
      running.removeAll { $0.id == id }
      model.views[view].finish(id)
      reconcileModel(view)
      let taken = ViewQueue<Job>.Taken(entry: next, runner: .worker, isBarrier: false)
      let started = PoolOrder<Job>.Started(taken: taken, view: views[view])
      let expected = isExact ? model.start(at: time) : expectation(of: started)
      note(started, expected, onWorker: true)
    case .suspend(let view):
      pool.suspend(views[view], now: { time })
      model.views[view].suspend()
      reconcileModel(view)
    case .resume(let view):
      pool.resume(views[view], now: { time })
      model.views[view].resume()
      reconcileModel(view)
    case .remove(let id):
      let job = jobs.removeValue(forKey: id)!
      let view = model.views.firstIndex { $0.order.waiting.contains { $0.id == id } }!
      let removed: Job?
      if job.canBeVacated {
        let isOut = pool.leaveTombstone(
          at: job.position, in: job.band, of: views[view], now: { time })
        if isOut { letGoOfShare(in: job) }
        removed = isOut ? job : nil
      } else {
        removed = pool.remove(
          at: job.position, in: job.band, isBarrier: job.isBarrier, from: views[view],
          now: { time })
      }
      model.views[view].remove(id)
      reconcileModel(view)
      if removed !== job { surprise = "did not remove \(id)" }
    case .wait(let duration):
      self.time += duration
    }
    noteGrants(grants + pool.takeAdmitted())
    if let view = touched, model.views[view].forCaller(at: time) != nil {
      surprise = "left a caller of view \(view) waiting"
    }
    touched = nil
  }

  /// Checks `twoMayStart` against what two workers would find, where no call of `sync` waits.
  private mutating func checkTwoMayStart() {
    let callersWait = views.contains { $0.queue.callersWaiting > 0 }
    if callersWait { return }
    var copy = pool.clone()
    let (time, answer) = (time, pool.twoMayStart)
    let both = copy.start(now: { time }) != nil && copy.start(now: { time }) != nil
    if answer != both { surprise = "twoMayStart said \(answer)" }
  }

  private func number(of view: PoolView<Job>) -> Int { views.firstIndex { $0 === view }! }

  private mutating func reconcileModel(_ view: Int) {
    if isExact { model.reconcile(view, at: time) } else { touched = view }
  }

  private mutating func note(
    _ started: PoolOrder<Job>.Started?, _ expected: NaivePool.Start?, onWorker: Bool
  ) {
    let actual = started.map { start in
      NaivePool.Start(id: start.taken.entry.id, view: number(of: start.view))
    }
    if actual != expected {
      surprise = "started \(actual, default: "nothing"), not \(expected, default: "nothing")"
    }
    if let started {
      if onWorker != (started.taken.runner == .worker) { surprise = "mistook the runner" }
      noteRunning(started)
    }
  }

  /// The task that the chosen view had to start, whatever the order of the views.
  ///
  /// While the pool looked for it, it may have found calls of `sync` whose entries had aged enough to go first.
  private mutating func expectation(
    of started: PoolOrder<Job>.Started?
  ) -> NaivePool.Start? {
    if let started, model.busyWorkers < model.width {
      let view = number(of: started.view)
      while true {
        if let next = model.views[view].forWorker(at: time) {
          model.views[view].take(at: time, onWorker: true)
          return NaivePool.Start(id: next, view: view)
        }
        guard model.grantNext(of: view, at: time) else { return nil }
      }
    }
    if started == nil, model.hasWork(at: time) { surprise = "a worker found no task" }
    return nil
  }

  private mutating func noteRunning(_ started: PoolOrder<Job>.Started) {
    let job = started.taken.entry
    if started.taken.isBarrier != job.isBarrier { surprise = "mistook a barrier" }
    jobs[job.id] = nil
    running.append((job.id, started))
  }

  private mutating func noteGrants(_ grants: [PoolOrder<Job>.Started]) {
    let actual = grants.map { grant in
      NaivePool.Start(id: grant.taken.entry.id, view: number(of: grant.view))
    }
    if isExact {
      if actual != model.grants { surprise = "granted \(actual) and not \(model.grants)" }
    } else {
      for grant in actual where !model.grants.contains(grant) {
        if model.views[grant.view].forCaller(at: time) != grant.id {
          surprise = "granted \(grant.id) of view \(grant.view)"
        }
        _ = model.grantNext(of: grant.view, at: time)
      }
    }
    model.grants = []
    for grant in grants {
      if grant.taken.runner != .caller { surprise = "granted to a worker" }
      noteRunning(grant)
    }
  }

  func check() throws {
    if let difference = surprise ?? firstDifference() {
      throw Mismatch(difference, after: steps, of: setting)
    }
  }

  private func firstDifference() -> String? {
    if pool.busyWorkers != model.busyWorkers { return "\(pool.busyWorkers) workers are busy" }
    if pool.busyWorkers > pool.width { return "more workers than the width" }
    for (number, view) in views.enumerated() {
      if view.queue.running > view.queue.width { return "view \(number) runs too many" }
      if view.queue.onWorkers > view.queue.workerWidth { return "view \(number) has too many" }
      if view.queue.running != model.views[number].running.count {
        return "\(view.queue.running) of view \(number) run"
      }
      if view.queue.ready.count != model.views[number].order.waiting.count {
        return "\(view.queue.ready.count) of view \(number) wait"
      }
      let barriers = model.views[number].running.count(where: \.isBarrier)
      if barriers > 0, view.queue.running > 1 { return "a barrier of view \(number) is not alone" }
    }
    return nil
  }

  /// Resumes every view and lets everything run, and expects that nothing is left.
  mutating func drain() throws {
    for view in views.indices {
      while model.views[view].suspensions > 0 { perform(.resume(view)) }
    }
    while surprise == nil {
      let before = running.count
      perform(.start)
      if running.count > before { continue }
      guard let first = running.first else { break }
      perform(.finish(first.id))
    }
    try check()
    for view in views where !view.queue.ready.isEmpty {
      throw Mismatch("something is stuck", after: steps, of: setting)
    }
  }
}
