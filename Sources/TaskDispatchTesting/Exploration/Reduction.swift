internal import TaskDispatch

/// What a body has touched, as far as others can tell in which order it ran.
struct Footprint {
  /// Everything, or nobody knows what.
  private(set) var isEverything = false
  /// Queues that it has put something into, and the timers.
  private(set) var places: Places = []
  /// What its declaration names.
  private var resources: Set<String> = []

  struct Places: OptionSet {
    let rawValue: UInt8
    static let foreground = Places(rawValue: 1)
    static let background = Places(rawValue: 2)
    static let timers = Places(rawValue: 4)
  }

  static var everything: Footprint {
    var all = Footprint([])
    all.isEverything = true
    return all
  }

  init(_ resources: Set<String>) { self.resources = resources }

  mutating func add(_ places: Places) { self.places.formUnion(places) }

  mutating func addEverything() { self = .everything }

  /// Whether nobody can tell which of the two ran first.
  func isIndependent(of other: Footprint) -> Bool {
    !isEverything && !other.isEverything && places.isDisjoint(with: other.places)
      && resources.isDisjoint(with: other.resources)
  }
}

/// Sleep sets (Godefroid, 1996): where two moves touch nothing in common, the order that has them the
/// other way round is not tried.
///
/// A move that was tried at some point *sleeps* in what is tried there afterwards, until something runs
/// that touches what it touches: before that, it would only bring about an order that is known. What a
/// task touches beside its dispatcher is declared; what it does with the dispatcher is seen here. Where
/// that could show the order to others in a roundabout way, as by a group, by a wait or by a priority,
/// the task counts as one that touches everything.
final class Reduction {
  /// Which move it was, and what it has touched when it ran. The number is that of its task, which is
  /// the same in every run that has begun alike.
  typealias Moves = [MoveID: Footprint]

  struct MoveID: Hashable {
    let entry: UInt64
    /// Time that passes to the deadline of a task, and not the task.
    let isTime: Bool
  }

  /// A choice between moves, as it was found.
  struct Branch {
    let moves: [MoveID]
    let asleep: Moves
    /// Of the move that was chosen.
    var footprint = Footprint.everything
  }

  private let resources: (TaskRecord) -> Set<String>?
  /// By the number of the choice.
  private(set) var branches: [Int: Branch] = [:]
  /// What sleeps now.
  private var asleep: Moves = [:]
  /// From this choice on everything that happens is known from another schedule.
  private(set) var knownFrom: Int?
  /// The move whose body runs.
  private var current: (footprint: Footprint, choice: Int?)?
  private var changed = -1
  private var asleepAtChange: Moves = [:]

  init(_ resources: @escaping (TaskRecord) -> Set<String>?) { self.resources = resources }

  /// - Parameters:
  ///   - changed: The last choice that is laid down; -1 if none is.
  ///   - asleep: What sleeps there.
  func begin(changed: Int, asleep: Moves) {
    branches.removeAll(keepingCapacity: true)
    self.asleep = [:]
    self.changed = changed
    asleepAtChange = asleep
    knownFrom = nil
    current = nil
  }

  // MARK: Choosing

  /// The first that does not sleep. If all do, this order is known.
  func firstAwake(of moves: [ExploredMove], choice: Int) -> Int {
    endMove()
    if let index = moves.firstIndex(where: { asleep[$0.id] == nil }) { return index }
    knownFrom = knownFrom ?? choice
    return 0
  }

  /// A choice was made between several.
  func chose(_ chosen: Int, of moves: [ExploredMove], choice: Int) {
    endMove()
    if choice == changed { asleep = asleepAtChange }
    branches[choice] = Branch(moves: moves.map(\.id), asleep: asleep)
    begin(moves[chosen], choice: choice)
  }

  /// There was nothing to choose.
  func only(_ move: ExploredMove, choices: Int) {
    endMove()
    if choices > changed, asleep[move.id] != nil { knownFrom = knownFrom ?? choices }
    begin(move, choice: nil)
  }

  private func begin(_ move: ExploredMove, choice: Int?) {
    asleep[move.id] = nil
    current = (footprint(of: move), choice)
  }

  private func footprint(of move: ExploredMove) -> Footprint {
    switch move.action {
    case .time, .goOn, .event: return .everything
    case .due, .posted, .started, .start: break
    }
    let entry = move.entry
    switch entry.work {
    case .plain: break
    case .item(let item) where item.group == nil && item.kind != .notification: break
    case .item, .job, .caller, .event, .registration: return .everything
    }
    return resources(entry.record).map(Footprint.init) ?? .everything
  }

  /// The last move is over, and who cares about what it has touched wakes up.
  func endMove() {
    guard let (footprint, choice) = current else { return }
    current = nil
    if let choice { branches[choice]!.footprint = footprint }
    asleep = asleep.filter { $0.value.isIndependent(of: footprint) }
  }

  // MARK: What a body does

  func touchesEverything() { current?.footprint.addEverything() }

  func touches(_ places: Footprint.Places) { current?.footprint.add(places) }

  func submitted(_ entry: Entry) {
    switch entry.work {
    case .plain: break
    case .item(let item):
      switch item.kind {
      case .task, .reply: break
      case .timer: touches(.timers)
      case .repeating, .job, .sleep, .notification, .event: touchesEverything()
      }
    case .job, .caller, .event, .registration: touchesEverything()
    }
    // A task of another band or of a view may change who is the next of those that wait.
    if entry.site.band != .medium || entry.view != nil { touchesEverything() }
    touches(entry.lane == .foreground ? .foreground : .background)
  }
}

extension ExploredMove {
  var id: Reduction.MoveID { Reduction.MoveID(entry: entry.id, isTime: isTime) }
}

/// As ``ExhaustiveSearch``, without orders that differ from others only in what nobody can tell.
struct ReducedSearch: ScheduleSearch {
  private struct Node {
    var decision: Decision
    var branch: Reduction.Branch?
    /// Moves that were tried here.
    var tried: Reduction.Moves = [:]

    /// The next option that has not been tried, and that does not sleep.
    var next: Int32? {
      guard let branch else {
        return decision.chosen + 1 < decision.count ? decision.chosen + 1 : nil
      }
      return branch.moves.indices.first {
        tried[branch.moves[$0]] == nil && branch.asleep[branch.moves[$0]] == nil
      }.map(Int32.init)
    }
  }

  private var nodes: [Node] = []
  private var isOver = false

  mutating func next() -> Decisions.Plan? {
    if isOver { return nil }
    let asleep = nodes.last?.branch.map {
      $0.asleep.merging(nodes.last!.tried, uniquingKeysWith: { old, _ in old })
    }
    return .reduced(nodes.map(\.decision), asleep: asleep ?? [:])
  }

  mutating func ran(_ decisions: Decisions) {
    let reduction = decisions.reduction!
    reduction.endMove()
    let end = min(reduction.knownFrom ?? .max, decisions.taken.count)
    let changed = nodes.count - 1
    for position in max(0, changed)..<max(end, changed + 1) where position < decisions.taken.count {
      let branch = reduction.branches[position]
      if position > changed {
        nodes.append(Node(decision: decisions.taken[position], branch: branch))
      }
      if let branch {
        let chosen = branch.moves[Int(decisions.taken[position].chosen)]
        nodes[position].branch = nodes[position].branch ?? branch
        nodes[position].tried[chosen] = branch.footprint
      }
    }
    while let last = nodes.last {
      if let next = last.next {
        let old = last.decision
        nodes[nodes.count - 1].decision = Decision(
          chosen: next, count: old.count, kind: old.kind)
        return
      }
      nodes.removeLast()
    }
    isOver = true
  }

  var hasTriedEverything: Bool { isOver }
}
