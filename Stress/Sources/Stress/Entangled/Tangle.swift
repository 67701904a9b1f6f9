import Oracle
import TaskDispatch

/// One dispatcher whose user code misbehaves wherever user code runs, and everything that watches it.
final class Tangle: @unchecked Sendable {
  let dispatcher: any EventDispatcher
  /// The foreground, the background, views, and in the end a view that probes alone use.
  let queues: [TaskQueue]
  let judges: [QueueJudge]
  let places: PlaceJudge
  let starts: StartJudge
  let roll: Roll
  let court: Court
  let totals = Totals()
  let seed: UInt64
  let width: Int
  let left: Set<Deed.Family>
  let deck: [Deed]
  /// Whether every submission that the ledger counts is one of ours: there are no Tasks, handlers and
  /// timers that repeat.
  let isExact: Bool
  /// Whether everything runs on one thread, in a fake.
  let isInSteps: Bool

  let shelf = Shelf(size: 48)
  let groups: Locked<[Circle]>
  let janitors: Janitors
  let inline = InlineExecutor()
  let lamps = Locked<[Lamp]>([])
  /// What the calls that the library owes come to: 0 in the end.
  let owedCalls = Count()
  let liveTokens = LiveCount()
  let errands = Errands()
  /// Accepted and neither run nor known to have ended.
  let live = Count()
  private let rests: Locked<[Rest]>
  /// A shutdown has been asked for, or is about to be.
  let isOver = Switch()
  /// Producers and bodies are to come to an end.
  let isEnding = Switch()
  /// Set while a callback keeps its thread; opened by the prober.
  let hold = Hold()
  /// Called once, from whatever code comes first, if it is not nil.
  let shutdownWish = Locked<(@Sendable () -> Void)?>(nil)

  struct Rest {
    var count = 0
    var began: Int64 = 0
    var ended: Int64 = 0
  }

  /// A group that is used so many times.
  struct Circle {
    var group = WorkGroup()
    var uses = 0
  }

  static let widths = [1, 2, 4, 1]
  var probeView: Int { queues.count - 1 }
  /// Those that code submits to.
  var open: Int { queues.count - 1 }

  init(
    _ dispatcher: any EventDispatcher, width: Int, seed: UInt64, left: Set<Deed.Family>,
    isExact: Bool, isInSteps: Bool = false, court: Court
  ) {
    self.dispatcher = dispatcher
    self.seed = seed
    self.left = left
    deck = Self.deck(without: left)
    self.isExact = isExact
    self.isInSteps = isInSteps
    janitors = Janitors(usesThreads: !isInSteps)
    self.court = court
    self.width = width
    let labels = Self.widths.indices.map { "view \($0 + 2) of \(Self.widths[$0])" }
    queues =
      [dispatcher.foreground, dispatcher.background]
      + zip(labels, Self.widths).map { dispatcher.makeQueue(label: $0, width: $1) }
      + [dispatcher.makeQueue(label: "probes", width: 2)]
    let widths = [1, width] + Self.widths + [2]
    let names = queues.map(\.label)
    court.nameQueues(names)
    judges = widths.indices.map {
      QueueJudge(index: $0, name: names[$0], width: widths[$0], court: court)
    }
    places = PlaceJudge(court: left.contains(.standings) ? Court() : court)
    starts = StartJudge(queues: widths.count, court: court)
    roll = Roll(court: court)
    groups = Locked((0..<4).map { _ in Circle() })
    rests = Locked(widths.map { _ in Rest() })
  }

  func leavesOut(_ family: Deed.Family) -> Bool { left.contains(family) }

  func now() -> Int64 { monotonicNanoseconds() }

  // MARK: Where am I

  static let file: StaticString = "stress/entangled"
  private static let fileName = "stress/entangled"

  /// The mark that a submission carries in the place of a line; -1 for what is not of this program.
  func mark(of site: CallSite) -> Int {
    site.fileID == Self.fileName ? Int(site.line) : -1
  }

  /// Where the calling code is told that it stands.
  func look() -> Standing {
    var queues: UInt64 = 0
    for (index, queue) in self.queues.enumerated() where queue.isCurrent {
      queues |= 1 << UInt64(index)
    }
    return Standing(task: CurrentTask.site.map { mark(of: $0) } ?? 0, queues: queues)
  }

  // MARK: Suspensions

  /// Whether a view may be suspended now: it has to get on between two suspensions, and in each.
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

  /// The call of user code that has lasted longest.
  var longestCall: (name: String, since: Int64)? {
    Hand.all.compactMap(\.stand.longestCall).min { $0.since < $1.since }
  }

  var state: String {
    let bodies = totals.begun.value - totals.ended.value
    var lines = [
      "\(bodies) bodies have begun and not ended, \(errands.count) Tasks are under way, "
        + "\(owedCalls.value) calls are owed, \(liveTokens.value) tokens live"
    ]
    lines.append(janitors.description)
    lines += errands.names.prefix(20).map { "a Task \($0)" }
    for judge in judges {
      let isHeld = rests.withLock { $0[judge.index].count > 0 }
      lines.append(
        "\(judge.name): \(judge.runningNow) inside of \(judge.width)\(isHeld ? ", suspended" : "")")
    }
    for hand in Hand.all.sorted(by: { $0.index < $1.index }) where hand.stand.depth > 0 {
      let places = hand.stand.description { mark in
        roll.ticket(mark).map { "#\(mark) (\($0.form) on \(queues[$0.queue]))" } ?? "#\(mark)"
      }
      lines.append("thread \(hand.index), \(places)")
    }
    return lines.joined(separator: "\n")
  }
}
