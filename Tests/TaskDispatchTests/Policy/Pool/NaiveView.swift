@testable import TaskDispatch

/// Rules 4 and 6 as their text has them, whatever it costs: width, barriers, suspension, calls of `sync`.
struct NaiveView {
  struct Running {
    let id: Int
    let isBarrier: Bool
    let isOnWorker: Bool
  }

  let width: Int
  let workerWidth: Int
  private(set) var order: NaiveReadyQueue
  private(set) var running: [Running] = []
  private(set) var suspensions = 0
  private var forCallers: Set<Int> = []

  init(width: Int, workerWidth: Int, agingStep: Int64) {
    self.width = width
    self.workerWidth = min(width, workerWidth)
    order = NaiveReadyQueue(agingStep: agingStep)
  }

  var onWorkers: Int { running.count { $0.isOnWorker } }

  mutating func push(_ id: Int, in band: PriorityBand, isBarrier: Bool, runsOnCaller: Bool) {
    order.push(id, in: band, isBarrier: isBarrier)
    if runsOnCaller { forCallers.insert(id) }
  }

  mutating func remove(_ id: Int) { order.remove(id) }
  mutating func suspend() { suspensions += 1 }
  mutating func resume() { suspensions -= 1 }
  mutating func finish(_ id: Int) { running.removeAll { $0.id == id } }

  /// "A queue of width w never runs more than w. Barriers run alone." While suspended, none starts.
  private var mayStart: Bool {
    suspensions == 0 && running.count < width && !running.contains { $0.isBarrier }
  }

  /// The next entry, even if it is a barrier that still has to wait for running tasks.
  private func next(at time: Int64) -> NaiveReadyQueue.Waiting? {
    order.next(at: time) ?? order.nextBarrier
  }

  /// The entry that may start at `time`.
  private func startable(at time: Int64) -> NaiveReadyQueue.Waiting? {
    guard mayStart, let next = next(at: time), !next.isBarrier || running.isEmpty else {
      return nil
    }
    return next
  }

  /// The entry that a worker may take.
  func forWorker(at time: Int64) -> Int? {
    onWorkers < workerWidth ? forHelper(at: time) : nil
  }

  /// The entry that a thread may take which is blocked in the view's `sync`.
  func forHelper(at time: Int64) -> Int? {
    guard let next = startable(at: time), !forCallers.contains(next.id) else { return nil }
    return next.id
  }

  /// The entry that may run, if it belongs to a call of `sync`.
  func forCaller(at time: Int64) -> Int? {
    guard let next = startable(at: time), forCallers.contains(next.id) else { return nil }
    return next.id
  }

  mutating func take(at time: Int64, onWorker: Bool) {
    if let next = order.take(at: time)?.taken ?? order.takeBarrier() {
      running.append(.init(id: next.id, isBarrier: next.isBarrier, isOnWorker: onWorker))
    }
  }

  /// The bands of the tasks that workers may start now, the highest first.
  ///
  /// Entries of calls of `sync` count too: only a start shows which entry goes before which.
  func wantedTokens(at time: Int64) -> [PriorityBand] {
    let room = min(width - running.count, workerWidth - onWorkers)
    guard mayStart, room > 0, let next = next(at: time), !forCallers.contains(next.id) else {
      return []
    }
    if next.isBarrier { return running.isEmpty ? [next.band] : [] }
    var bands: [PriorityBand] = []
    for band in PriorityBand.allCases {
      for _ in 0..<order.startableCount(in: band) where bands.count < room { bands.append(band) }
    }
    return bands
  }
}
