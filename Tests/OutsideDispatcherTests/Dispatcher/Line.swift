import TaskDispatch

/// The tasks of one queue: those that wait, and those that run. The lock of the dispatcher guards it.
final class Line {
  let lane: Lane
  let width: Int
  let label: String
  let overflow: Overflow
  /// The view whose line this is. The view owns the line, so this is weak.
  weak var view: SteppedView?
  /// In the order in which they came.
  private(set) var waiting: [SteppedTask] = []
  private(set) var running: [SteppedTask] = []
  var suspensions = 0
  /// When the last task of each band was taken. The head of a band ages from then on, or from when it came.
  private var takenAt: [PriorityBand: DispatcherInstant] = [:]
  /// The number of the step that took the last task. Lines whose heads have come as far take turns.
  private var lastStep = 0
  /// On the foreground, whether the last task that was taken was a due timer. Due and posted tasks take turns.
  private var lastWasDue = false

  init(_ lane: Lane, width: Int, label: String, _ overflow: Overflow) {
    self.overflow = overflow
    self.lane = lane
    self.width = width
    self.label = label
  }

  var isEmpty: Bool { waiting.isEmpty && running.isEmpty }

  /// Whether the limit lets no other task in.
  var isFull: Bool {
    switch overflow {
    case .unbounded: false
    case .reject(let limit), .blockCaller(let limit, _):
      waiting.count { $0.countsAgainstLimits } >= limit
    }
  }

  func append(_ task: SteppedTask) { waiting.append(task) }

  func remove(_ task: SteppedTask) { waiting.removeAll { $0 === task } }

  /// Moves a waiting task to those that run.
  ///
  /// - Parameter step: How many tasks the dispatcher has begun so far.
  func begin(_ task: SteppedTask, at time: DispatcherInstant, step: Int) {
    lastStep = step
    remove(task)
    running.append(task)
    takenAt[task.taken.item.band] = time
    lastWasDue = task.isDue
  }

  func end(_ task: SteppedTask) { running.removeAll { $0 === task } }

  func removeAll() { waiting = [] }

  // MARK: What may start

  /// How far a task has come: the smaller one starts first.
  struct Rank: Comparable {
    /// The band, less one for each step that the head of its band has aged.
    let level: Int
    let since: DispatcherInstant
    /// Of two heads that have come as far, the one of the lower band has waited for longer.
    let band: PriorityBand
    let lastStep: Int
    let number: UInt64

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      (lhs.level, lhs.since, lhs.band, lhs.lastStep, lhs.number)
        < (rhs.level, rhs.since, rhs.band, rhs.lastStep, rhs.number)
    }
  }

  typealias Candidate = (task: SteppedTask, rank: Rank)

  /// The tasks that may start now beside those that run, in the order in which they start. Callers of `sync` are among
  /// them. Ignores that workers may be busy.
  func startable(at time: DispatcherInstant, agingStep: Duration) -> [Candidate] {
    if lane == .foreground {
      guard running.isEmpty, let next = nextOfForeground else { return [] }
      return [(next, rank(next, since: next.since, at: time, agingStep))]
    }
    guard suspensions == 0, !running.contains(where: \.taken.item.isBarrier) else { return [] }
    if let first = waiting.first, first.taken.item.isBarrier {
      return running.isEmpty ? [(first, rank(first, since: first.since, at: time, agingStep))] : []
    }
    var left = Array(waiting.prefix { !$0.taken.item.isBarrier })
    var headSince = takenAt
    var next: [Candidate] = []
    while running.count + next.count < width, !left.isEmpty {
      let heads = PriorityBand.allCases.compactMap { band in
        left.first { $0.taken.item.band == band }.map { head in
          (head, rank(head, since: max(head.since, headSince[band] ?? .start), at: time, agingStep))
        }
      }
      guard let best = heads.min(by: { $0.1 < $1.1 }) else { break }
      next.append(best)
      left.removeAll { $0 === best.0 }
      headSince[best.0.taken.item.band] = time
    }
    return next
  }

  private var nextOfForeground: SteppedTask? {
    let (due, posted) = (waiting.first { $0.isDue }, waiting.first { !$0.isDue })
    return lastWasDue ? posted ?? due : due ?? posted
  }

  private func rank(
    _ task: SteppedTask, since: DispatcherInstant, at time: DispatcherInstant, _ agingStep: Duration
  ) -> Rank {
    let steps = since.duration(to: time) / agingStep
    let band = task.taken.item.band
    return Rank(
      level: max(0, Int(band.rawValue) - Int(min(steps, 4))), since: since, band: band,
      lastStep: lastStep, number: task.number)
  }
}
