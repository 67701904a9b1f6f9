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

/// What each move of a run has touched, for ``ReducedSearch``, and which moves *sleep*.
///
/// A move that was tried at some point sleeps in what is tried there afterwards, until something runs
/// that touches what it touches: before that, it would only bring about an order that is known.
///
/// What a task touches beside its dispatcher is declared; what it does with the dispatcher is seen here.
/// Where that could show the order to others in a roundabout way, as by a group, by a wait or by a
/// priority, the task counts as one that touches everything.
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
  }

  /// A move that was made.
  struct Step {
    let move: MoveID
    let entry: Entry
    var footprint: Footprint
    /// The number of the choice that it was made by; nil if there was no other.
    let choice: Int?
  }

  private let resources: (TaskRecord) -> Set<String>?
  /// By the number of the choice.
  private(set) var branches: [Int: Branch] = [:]
  private(set) var steps: [Step] = []
  /// What sleeps now.
  private var asleep: Moves = [:]
  /// From this choice on everything that happens is known from another schedule.
  private(set) var knownFrom: Int?
  /// The last of the steps is not over.
  private var isMoving = false
  private var changed = -1
  private var asleepAtChange: Moves = [:]

  init(_ resources: @escaping (TaskRecord) -> Set<String>?) { self.resources = resources }

  /// - Parameters:
  ///   - changed: The last choice that is laid down; -1 if none is.
  ///   - asleep: What sleeps there.
  func begin(changed: Int, asleep: Moves) {
    branches.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    self.asleep = [:]
    self.changed = changed
    asleepAtChange = asleep
    knownFrom = nil
    isMoving = false
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
    isMoving = true
    steps.append(
      Step(move: move.id, entry: move.entry, footprint: footprint(of: move), choice: choice))
  }

  private func footprint(of move: ExploredMove) -> Footprint {
    switch move.action {
    case .time, .goOn, .event: return .everything
    case .due, .posted, .started, .start: break
    }
    let entry = move.entry
    switch entry.work {
    case .plain, .ran: break
    case .item(let item) where item.kind != .notification: break
    case .item, .job, .caller, .event, .registration: return .everything
    }
    guard let declared = resources(entry.record) else { return .everything }
    var footprint = Footprint(declared)
    // Another one that comes may overtake it, or it that.
    if entry.lane == .background, entry.site.band != .medium { footprint.add(.background) }
    return footprint
  }

  /// The last move is over, and who cares about what it has touched wakes up.
  func endMove() {
    guard isMoving else { return }
    isMoving = false
    let footprint = steps.last!.footprint
    asleep = asleep.filter { $0.value.isIndependent(of: footprint) }
  }

  // MARK: What a body does

  func touchesEverything() {
    if isMoving { steps[steps.count - 1].footprint.addEverything() }
  }

  func touches(_ places: Footprint.Places) {
    if isMoving { steps[steps.count - 1].footprint.add(places) }
  }

  func submitted(_ entry: Entry) {
    switch entry.work {
    case .plain, .ran: break
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
