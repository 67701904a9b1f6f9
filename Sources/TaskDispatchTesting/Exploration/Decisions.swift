internal import TaskDispatch

/// The kinds of choices in an exploration.
public enum ChoiceKind: String, Sendable, Hashable, CaseIterable, Comparable {
  /// Which of several bodies runs next, or whether time passes before any of them does.
  case move
  /// How many tasks have taken their slot before a call that can observe it.
  case start
  /// One of the values of ``RecordingDispatcher/choose(_:_:)``.
  case value

  public static func < (lhs: ChoiceKind, rhs: ChoiceKind) -> Bool { lhs.rawValue < rhs.rawValue }

  /// Its index among all cases.
  var index: Int {
    switch self {
    case .move: 0
    case .start: 1
    case .value: 2
    }
  }
}

/// One choice between several things, as a run made it.
struct Decision: Hashable, Sendable {
  let chosen: Int32
  let count: Int32
  let kind: ChoiceKind
}

/// Where the choices of one run come from, and what they were.
///
/// One object serves all runs of an exploration: each begins with ``begin(_:names:)``. During a run, the lock of the
/// run's dispatcher guards it. Between two runs, only the exploring thread touches it.
final class Decisions: @unchecked Sendable {
  /// How a run chooses.
  enum Plan: Sendable {
    /// The preferred thing everywhere, except at the positions of these deviations.
    case deviating([Deviation])
    /// These choices first, and then the preferred thing.
    case exact([Int32])
    /// These choices first, each between as many things as the last time, and then the preferred thing.
    case repeating([Decision])
    /// These choices first, and then the preferred one of the moves that do not sleep.
    case reduced([Decision], asleep: Reduction.Moves)
    /// Any thing, with equal chances.
    case random(seed: UInt64)
    /// The task with the highest priority. Some tasks lose theirs on the way.
    case prioritized(Priorities)
    /// The preferred thing, as far as these facts allow it.
    case facts(FactIndex)
    /// As nearly as possible, an order that was recorded elsewhere.
    case following(RecordedOrder)
  }

  struct Deviation: Hashable, Sendable {
    let position: Int32
    let chosen: Int32
    /// How many things the choice was between the last time.
    let count: Int32
  }

  private var plan = Plan.exact([])
  /// The declared resources, by which redundant orders are left out. Nil if none are declared.
  private let declared: Reduction?
  /// The value of ``declared`` in a run that uses it. Nil in any other run.
  private(set) var reduction: Reduction?
  private var nextDeviation = 0
  private var dice = SplitMix64(seed: 0)
  private var priorities = Priorities(seed: 0, changes: [])
  /// The names of the tasks in this run. Nil if nothing will ask for them.
  private(set) var names: TaskNames?
  private(set) var taken: [Decision] = []
  /// The order of the run as one number: the bodies that ran, and the answers of calls, in sequence.
  private(set) var order = OrderDigest()
  private(set) var steps = 0
  /// Set if a choice was between another number of things than the last time: the scenario is not the same.
  private(set) var mismatch: Mismatch?
  /// The first refusal that makes the run a failure.
  private(set) var deadlock: WaitRefusal?
  /// How often time may pass timers that were set at one place while something else could run.
  var timersAhead = 0
  private var aheadOfWork: [CallSite: Int] = [:]
  /// Tasks that a choice deferred by letting another go first, the latest last. From then on they are ordered last, as
  /// if another thread had taken the processor from theirs. Few, so they are searched linearly.
  private var putOff: [UInt64] = []
  private var fairness = Fairness()
  /// Whether one thread cannot bring about this order. Its ending then means nothing.
  private(set) var isVoid = false
  private var calls: UInt64 = 0
  /// Whether something was not tried although it could have happened.
  private(set) var wasCut = false

  struct Mismatch: Sendable {
    let position: Int
    let expected: Int
    let found: Int
  }

  init(_ reduction: Reduction? = nil) { declared = reduction }

  func begin(_ plan: Plan, names: TaskNames?) {
    self.plan = plan
    reduction = nil
    self.names = names
    nextDeviation = 0
    taken.removeAll(keepingCapacity: true)
    order = OrderDigest()
    steps = 0
    mismatch = nil
    deadlock = nil
    aheadOfWork = [:]
    wasCut = false
    isVoid = false
    calls = 0
    putOff.removeAll(keepingCapacity: true)
    fairness = Fairness()
    switch plan {
    case .random(let seed): dice = SplitMix64(seed: seed)
    case .prioritized(let fresh): priorities = fresh
    case .reduced(let prefix, let asleep):
      reduction = declared
      reduction!.begin(changed: prefix.count - 1, asleep: asleep)
    case .deviating, .exact, .repeating, .facts, .following: break
    }
  }

  // MARK: Choosing

  /// Chooses one of at least two moves.
  ///
  /// The numbers of a plan count the moves with the deferred tasks last. Facts are about the preferred order itself, so
  /// each fact changes something at its own place only.
  func choose(among preferred: [ExploredMove]) -> ExploredMove {
    let moves = putOff.isEmpty ? preferred : inOrder(preferred)
    let chosen: Int
    switch plan {
    case .prioritized:
      chosen = fairness.starved(among: moves) ?? priorities.choose(among: moves, at: steps)
    case .facts(let facts):
      chosen = moves.index(of: preferred[facts.choose(among: preferred, names!)])
    case .following(let order):
      chosen = moves.index(of: preferred[order.choose(among: preferred, names!)])
    case .reduced(let prefix, _) where taken.count >= prefix.count:
      chosen = reduction!.firstAwake(of: moves, choice: taken.count)
    case .deviating, .exact, .repeating, .reduced, .random: chosen = planned(moves.count)
    }
    reduction?.chose(chosen, of: moves, choice: taken.count)
    note(chosen, of: moves.count, .move)
    if names != nil { names!.noteMove(preferred, preferred.index(of: moves[chosen])) }
    for move in moves[..<chosen] {
      let id = move.entry.id
      putOff.removeAll { $0 == id }
      putOff.append(id)
    }
    noteGoing(moves[chosen], before: moves)
    return moves[chosen]
  }

  /// Ends the deferral of tasks that would be starved. Rule 11 promises that no chain of tasks, each of which submits
  /// the next, keeps another task from running for ever.
  private func noteGoing(_ chosen: ExploredMove, before moves: [ExploredMove]) {
    if case .prioritized = plan {
      for move in moves where move.entry !== chosen.entry {
        fairness.goes(chosen, before: move.entry.id)
      }
    } else if !putOff.isEmpty {
      for move in moves where putOff.contains(move.entry.id) && move.entry !== chosen.entry {
        fairness.goes(chosen, before: move.entry.id)
      }
      putOff.removeAll { fairness.isStarved($0) }
    }
    fairness.goes(chosen)
  }

  /// Notes a move that is made because there is no other.
  func only(_ move: ExploredMove) { reduction?.only(move, choices: taken.count) }

  /// The moves with the deferred tasks last, and the task that was deferred first at the head of those.
  private func inOrder(_ moves: [ExploredMove]) -> [ExploredMove] {
    var ordered: [ExploredMove] = []
    ordered.reserveCapacity(moves.count)
    for move in moves where !putOff.contains(move.entry.id) { ordered.append(move) }
    if ordered.count == moves.count { return moves }
    for id in putOff { for move in moves where move.entry.id == id { ordered.append(move) } }
    return ordered
  }

  /// Chooses how many of `entries` have taken their slot before `call`.
  func chooseStarts(
    of entries: [Entry], before call: NamedCall
  ) -> Int {
    let chosen: Int
    switch plan {
    case .facts(let facts): chosen = facts.starts(of: entries, before: call, names!)
    case .prioritized(let seeded): chosen = seeded.any(entries.count + 1, at: taken.count)
    case .deviating, .exact, .repeating, .reduced, .random, .following:
      chosen = planned(entries.count + 1)
    }
    note(chosen, of: entries.count + 1, .start)
    reduction?.touchesEverything()
    if names != nil, chosen > 0 { names!.noteStarts(entries.prefix(chosen), before: call) }
    return chosen
  }

  /// Names a call that can observe which tasks have started.
  ///
  /// It must be called even where there is nothing to choose. Whether there is something depends on the order and on
  /// unrelated tasks, and the next call must keep its number.
  func name(
    of call: StartCall, of queue: String? = nil, by caller: Entry?, about subject: Entry?
  ) -> NamedCall {
    if case .submission = call {} else { reduction?.touchesEverything() }
    if names == nil { return .unnamed }
    if case .expiry = call { return .ownExpiry }
    return .name(names!.call(call, of: queue, by: caller, about: subject))
  }

  /// Chooses the index of one of `count` values.
  func chooseValue(
    _ label: String, among count: Int, by caller: Entry?, _ text: (Int) -> String
  ) -> Int {
    reduction?.touchesEverything()
    let name = names != nil ? names!.call(label, by: caller) : nil
    guard count > 1 else { return 0 }
    let chosen: Int
    switch plan {
    case .facts(let facts): chosen = facts.value(of: name!, among: count)
    case .prioritized(let seeded): chosen = seeded.any(count, at: taken.count)
    case .deviating, .exact, .repeating, .reduced, .random, .following: chosen = planned(count)
    }
    note(chosen, of: count, .value)
    order.add(UInt64(chosen))
    if names != nil, chosen > 0 { names!.noteValue(name!, chosen, text(chosen)) }
    return chosen
  }

  private func planned(_ count: Int) -> Int {
    let position = taken.count
    switch plan {
    case .deviating(let deviations):
      guard nextDeviation < deviations.count, deviations[nextDeviation].position == position else {
        return 0
      }
      let deviation = deviations[nextDeviation]
      nextDeviation += 1
      return fitting(deviation.chosen, count, expected: Int(deviation.count))
    case .exact(let prefix):
      return position < prefix.count ? fitting(prefix[position], count, expected: nil) : 0
    case .repeating(let prefix), .reduced(let prefix, _):
      guard position < prefix.count else { return 0 }
      return fitting(prefix[position].chosen, count, expected: Int(prefix[position].count))
    case .random: return Int(dice.next() % UInt64(count))
    case .prioritized, .facts, .following: return 0
    }
  }

  private func fitting(_ chosen: Int32, _ count: Int, expected: Int?) -> Int {
    if expected.map({ $0 != count }) ?? (chosen >= count), mismatch == nil {
      mismatch = Mismatch(
        position: taken.count, expected: expected ?? Int(chosen) + 1, found: count)
    }
    return Int(chosen) < count ? Int(chosen) : 0
  }

  private func note(_ chosen: Int, of count: Int, _ kind: ChoiceKind) {
    taken.append(Decision(chosen: Int32(chosen), count: Int32(count), kind: kind))
  }

  // MARK: What happens

  func created(_ entry: Entry, swiftTask: String?) {
    reduction?.submitted(entry)
    if names != nil { names!.name(entry, swiftTask: swiftTask) }
    if case .prioritized = plan { priorities.created(entry) }
  }

  func ran(_ entry: Entry) {
    steps += 1
    order.add(entry.id)
    if names != nil { names!.over(entry) }
  }

  /// Notes a task that ended without having run.
  func ended(_ entry: Entry) {
    if names != nil { names!.over(entry) }
  }

  func fired(_ timer: Entry) {
    if names != nil { names!.fired(timer) }
  }

  /// Makes the answer of a cancellation part of the order: orders with different answers are different.
  func answered(_ answer: Cancellation) {
    reduction?.touchesEverything()
    let number: UInt64 =
      switch answer {
      case .beforeStart: 1
      case .requested: 2
      case .tooLate: 3
      }
    order.add(number | 1 << 63)
  }

  /// Makes the end of a wait with a time-out part of the order, for the same reason.
  func waited(isInTime: Bool) {
    reduction?.touchesEverything()
    order.add((isInTime ? 4 : 5) | 1 << 63)
  }

  func noteDeadlock(_ refusal: WaitRefusal) {
    // Threads could bring this order about, and the one thread of a run cannot. So the run says nothing.
    if case .cannotBeOrdered = refusal { isVoid = true } else { deadlock = deadlock ?? refusal }
  }

  /// A number for the entry of a waiting call. These numbers count down from the top, and those of tasks count up.
  func numberOfCall() -> UInt64 {
    reduction?.touchesEverything()
    calls += 1
    return .max - calls
  }

  /// Whether time may pass to the deadline of `timer` while something else could run.
  func mayPass(_ timer: Entry) -> Bool {
    if aheadOfWork[timer.site, default: 0] < timersAhead { return true }
    wasCut = true
    return false
  }

  func passed(_ timer: Entry) { aheadOfWork[timer.site, default: 0] += 1 }
}
