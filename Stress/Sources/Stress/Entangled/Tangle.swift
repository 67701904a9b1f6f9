import Oracle
import TaskDispatch

/// One dispatcher whose user code misbehaves wherever user code runs, with everything that checks it.
final class Tangle: @unchecked Sendable {
  let dispatcher: any EventDispatcher
  /// The foreground, the background, views, and last a view that only probes use.
  let queues: [TaskQueue]
  let checkers: [QueueChecker]
  let places: PlaceChecker
  let starts: StartChecker
  let roll: Roll
  let violations: ViolationLog
  let totals = Totals()
  let seed: UInt64
  let width: Int
  let left: Set<Deed.Family>
  let deck: [Deed]
  /// Whether every submission that the ledger counts is ours: there are no Tasks, handlers and
  /// repeating timers.
  let isExact: Bool
  /// Whether everything runs on one thread, in a fake.
  let isInSteps: Bool

  let shelf = Shelf(size: 48)
  let groups: Locked<[Circle]>
  let janitors: Janitors
  let inline = InlineExecutor()
  let lamps = Locked<[Lamp]>([])
  /// How many calls the library still has to make: 0 in the end.
  let owedCalls = Count()
  let liveTokens = LiveCount()
  let errands = Errands()
  /// How many submissions were accepted and have neither run nor are known to have ended.
  let live = Count()
  private let rests: Locked<[Rest]>
  /// A shutdown has begun, or is about to begin.
  let isOver = Switch()
  /// Producers and bodies must come to an end.
  let isEnding = Switch()
  /// Keeps the thread of a callback until the prober lets it go.
  let hold = Hold()
  /// If it is not nil, the code that comes first calls it, once.
  let shutdownWish = Locked<(@Sendable () -> Void)?>(nil)

  struct Rest {
    var count = 0
    var began: Int64 = 0
    var ended: Int64 = 0
  }

  /// A group, and how often it was used. It is replaced after a number of uses.
  struct Circle {
    var group = WorkGroup()
    var uses = 0
  }

  static let widths = [1, 2, 4, 1]
  var probeView: Int { queues.count - 1 }
  /// How many queues code submits to.
  var open: Int { queues.count - 1 }

  init(
    _ dispatcher: any EventDispatcher, width: Int, seed: UInt64, left: Set<Deed.Family>,
    isExact: Bool, isInSteps: Bool = false, violations: ViolationLog
  ) {
    self.dispatcher = dispatcher
    self.seed = seed
    self.left = left
    deck = Self.deck(without: left)
    self.isExact = isExact
    self.isInSteps = isInSteps
    janitors = Janitors(usesThreads: !isInSteps)
    self.violations = violations
    self.width = width
    let labels = Self.widths.indices.map { "view \($0 + 2) of \(Self.widths[$0])" }
    queues =
      [dispatcher.foreground, dispatcher.background]
      + zip(labels, Self.widths).map { dispatcher.makeQueue(label: $0, width: $1) }
      + [dispatcher.makeQueue(label: "probes", width: 2)]
    let widths = [1, width] + Self.widths + [2]
    let names = queues.map(\.label)
    violations.nameQueues(names)
    checkers = widths.indices.map {
      QueueChecker(index: $0, name: names[$0], width: widths[$0], violations: violations)
    }
    places = PlaceChecker(violations: left.contains(.standings) ? ViolationLog() : violations)
    starts = StartChecker(queues: widths.count, violations: violations)
    roll = Roll(violations: violations)
    groups = Locked((0..<4).map { _ in Circle() })
    rests = Locked(widths.map { _ in Rest() })
  }

  func leavesOut(_ family: Deed.Family) -> Bool { left.contains(family) }

  func now() -> Int64 { monotonicNanoseconds() }

  // MARK: Where am I

  static let file: StaticString = "stress/entangled"
  private static let fileName = "stress/entangled"

  /// The mark that a submission carries instead of a line; -1 for a submission of other code.
  func mark(of site: CallSite) -> Int {
    site.fileID == Self.fileName ? Int(site.line) : -1
  }

  /// What the calling code sees as current.
  func look() -> Standing {
    var queues: UInt64 = 0
    for (index, queue) in self.queues.enumerated() where queue.isCurrent {
      queues |= 1 << UInt64(index)
    }
    return Standing(task: CurrentTask.site.map { mark(of: $0) } ?? 0, queues: queues)
  }

  // MARK: Suspensions

  /// Whether a view may be suspended now. It needs time to run tasks between two suspensions, and a
  /// suspension must not last long.
  func maySuspend(_ queue: Int) -> Bool {
    let now = now()
    return rests.withLock { rests in
      if rests[queue].count == 0 {
        guard now - rests[queue].ended > 2_000_000 else { return false }
        rests[queue].began = now
      } else if rests[queue].count >= 2 || now - rests[queue].began > 2_000_000 {
        return false
      }
      rests[queue].count += 1
      return true
    }
  }

  func hasResumed(_ queue: Int) {
    let now = now()
    rests.withLock { rests in
      rests[queue].count -= 1
      if rests[queue].count == 0 { rests[queue].ended = now }
    }
  }

  // MARK: For people

  /// The call by user code that has lasted longest.
  var longestCall: (name: String, since: Int64)? {
    ThreadRecorder.all.compactMap(\.stand.longestCall).min { $0.since < $1.since }
  }

  var state: String {
    let bodies = totals.begun.value - totals.ended.value
    var lines = [
      "\(bodies) bodies have begun and not ended, \(errands.count) Tasks are under way, "
        + "\(owedCalls.value) calls are owed, \(liveTokens.value) tokens live"
    ]
    lines.append(janitors.description)
    lines += errands.names.prefix(20).map { "a Task \($0)" }
    for checker in checkers {
      let isHeld = rests.withLock { $0[checker.index].count > 0 }
      lines.append(
        "\(checker.name): \(checker.runningNow) inside of \(checker.width)\(isHeld ? ", suspended" : "")"
      )
    }
    for recorder in ThreadRecorder.all.sorted(by: { $0.index < $1.index })
    where recorder.stand.depth > 0 {
      let places = recorder.stand.description { mark in
        roll.ticket(mark).map { "#\(mark) (\($0.form) on \(queues[$0.queue]))" } ?? "#\(mark)"
      }
      lines.append("thread \(recorder.index), \(places)")
    }
    return lines.joined(separator: "\n")
  }
}
