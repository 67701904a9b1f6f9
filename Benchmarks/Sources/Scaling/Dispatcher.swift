/// Producers that post plain bodies, and workers that run them. There is an inbox with its lock, and
/// the dispatcher's lock, under which a worker takes the next body and drains the inbox if it must.
final class Dispatcher {
  struct Result {
    /// Bodies run a second.
    var rate: Double
    /// Which share of their time the workers were in bodies, 0 to 1.
    var busy: Double
    /// How often a thread slept for a lock, in a thousand bodies.
    var sleeps: Double
  }

  private let timeline = Timeline(seed: 1)
  private let costs: Costs
  private let design: Design
  private let inboxLock: Lock
  private let lock: Lock
  private let workers: Int
  private let body: Double
  private let window: Int
  private var inbox = 0
  private var queue = 0
  private var inFlight = 0
  private var posted = 0
  private var running = 0
  private var done = 0
  private var atRest: [Int] = []
  private var wakesOnTheWay = 0

  /// - Parameters:
  ///   - body: How long each body takes, in nanoseconds.
  ///   - window: How many bodies may wait or run.
  init(
    producers: Int, workers: Int, body: Double, window: Int = 4096, costs: Costs = Costs(),
    design: Design = Design()
  ) {
    self.costs = costs
    self.design = design
    self.workers = workers
    self.body = body
    self.window = window
    inboxLock = Lock(timeline, costs, design)
    lock = Lock(timeline, costs, design)
    for core in 0..<producers { produce(core) }
    for core in producers..<producers + workers { work(core) }
  }

  /// Runs for `duration`, in nanoseconds, after a tenth of it that does not count.
  func run(for duration: Double) -> Result {
    timeline.run(until: duration / 10)
    let (before, sleepsBefore) = (done, lock.sleeps + inboxLock.sleeps)
    timeline.run(until: duration / 10 + duration)
    precondition(posted == inbox + queue + running + done, "a body was lost or ran twice")
    let count = Double(done - before)
    return Result(
      rate: count / duration * 1e9, busy: count * body / duration / Double(workers),
      sleeps: Double(lock.sleeps + inboxLock.sleeps - sleepsBefore) / max(1, count) * 1000)
  }

  private func produce(_ core: Int) {
    timeline.after(costs.preparing) { [self] in
      guard inFlight < window else { return produce(core) }
      inFlight += 1
      inboxLock.take(core) { [self] in
        timeline.after(costs.posting) { [self] in
          posted += 1
          inbox += 1
          let fetches = inbox == 1 && wakesOnTheWay == 0 && !atRest.isEmpty
          inboxLock.free { [self] in
            if fetches { wakeWorker() }
            timeline.after(fetches ? costs.waking : 0) { [self] in produce(core) }
          }
        }
      }
    }
  }

  private func wakeWorker() {
    guard let worker = atRest.popLast() else { return }
    wakesOnTheWay += 1
    timeline.after(costs.awaking) { [self] in
      wakesOnTheWay -= 1
      work(worker)
    }
  }

  private func work(_ core: Int) {
    lock.take(core) { [self] in next(core) }
  }

  /// Takes the next body. The core holds the dispatcher's lock.
  private func next(_ core: Int) {
    guard queue == 0, inbox > 0 else { return start(core) }
    inboxLock.take(core) { [self] in
      timeline.after(costs.collecting) { [self] in
        queue += inbox
        inbox = 0
        inboxLock.free { [self] in start(core) }
      }
    }
  }

  private func start(_ core: Int) {
    guard queue > 0 else {
      atRest.append(core)
      // Bodies that were posted since then found no worker to notify.
      if inbox > 0, wakesOnTheWay == 0 { wakeWorker() }
      return lock.free {}
    }
    let taken = max(1, min(design.takes, queue / workers))
    queue -= taken
    running += taken
    let wakesAnother = queue > 0 && wakesOnTheWay == 0 && !atRest.isEmpty
    timeline.after(costs.taking + 10 * Double(taken - 1)) { [self] in
      lock.free { [self] in
        if wakesAnother { wakeWorker() }
        timeline.after(body * Double(taken) + (wakesAnother ? costs.waking : 0)) { [self] in
          inFlight -= taken
          running -= taken
          done += taken
          work(core)
        }
      }
    }
  }
}
