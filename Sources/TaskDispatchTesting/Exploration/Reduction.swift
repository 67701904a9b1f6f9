internal import TaskDispatch

/// What a body has touched, as far as other tasks could observe by it in which order the body ran.
struct Footprint {
  /// Whether it has touched everything, or it is unknown what.
  private(set) var isEverything = false
  /// The queues that it has submitted to, and the timers.
  private(set) var places: Places = []
  /// What the declaration of its task names.
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

  /// Whether no task can tell which of the two bodies ran first.
  func isIndependent(of other: Footprint) -> Bool {
    !isEverything && !other.isEverything && places.isDisjoint(with: other.places)
      && resources.isDisjoint(with: other.resources)
  }
}

/// Records what each move of a run has touched, for ``ReducedSearch``, and which moves *sleep*.
///
/// A move that was tried at some choice sleeps in the schedules that are tried there afterwards. It sleeps until a move
/// runs that touches something it touches. Before that, it would only bring about a known order.
///
/// What a task touches beside its dispatcher is declared. What it does with the dispatcher is recorded here. Where that
/// could show the order indirectly, as by a group, a wait or a priority, the task counts as one that touches
/// everything.
final class Reduction {
  /// Moves, and what each touched when it ran. A move's number is that of its task, which is the same in every run that
  /// has begun alike.
  typealias Moves = [MoveID: Footprint]

  struct MoveID: Hashable {
    let entry: UInt64
    /// Whether the move lets time pass to the deadline of the task, and does not run the task.
    let isTime: Bool
  }

  /// A choice between moves, and which of them slept.
  struct Branch {
    let moves: [MoveID]
    let asleep: Moves
  }

  /// A move that was made.
  struct Step {
    let move: MoveID
    let entry: Entry
    var footprint: Footprint
    /// The number of the choice that made it. Nil if there was no other move.
    let choice: Int?
  }

  private let resources: (TaskRecord) -> Set<String>?
  /// The choices between moves, by number.
  private(set) var branches: [Int: Branch] = [:]
  private(set) var steps: [Step] = []
  /// The moves that sleep now.
  private var asleep: Moves = [:]
  /// The choice from which on everything that happens is known from another schedule. Nil if there is none.
  private(set) var knownFrom: Int?
  /// Whether the last of the steps is still running.
  private var isMoving = false
  private var changed = -1
  private var asleepAtChange: Moves = [:]

  init(_ resources: @escaping (TaskRecord) -> Set<String>?) { self.resources = resources }

  /// - Parameters:
  ///   - changed: The last choice that the plan fixes. -1 if it fixes none.
  ///   - asleep: The moves that sleep at that choice.
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

  /// The index of the first move that does not sleep. If all sleep, this order is known.
  func firstAwake(of moves: [ExploredMove], choice: Int) -> Int {
    endMove()
    if let index = moves.firstIndex(where: { asleep[$0.id] == nil }) { return index }
    knownFrom = knownFrom ?? choice
    return 0
  }

  /// Notes a choice between several moves.
  func chose(_ chosen: Int, of moves: [ExploredMove], choice: Int) {
    endMove()
    if choice == changed { asleep = asleepAtChange }
    branches[choice] = Branch(moves: moves.map(\.id), asleep: asleep)
    begin(moves[chosen], choice: choice)
  }

  /// Notes a move that was the only one.
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
    case .plain, .body: break
    case .item(let item) where item.kind != .notification: break
    case .item, .job, .caller, .event, .registration: return .everything
    }
    guard let declared = resources(entry.record) else { return .everything }
    var footprint = Footprint(declared)
    // A task that comes later may overtake this one, or this one may overtake it.
    if entry.lane == .background, entry.band != .medium { footprint.add(.background) }
    return footprint
  }

  /// Ends the last move, and wakes the sleeping moves that touch something it touched.
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
    case .plain, .body: break
    case .item(let item):
      switch item.kind {
      case .task, .reply: break
      case .timer: touches(.timers)
      case .repeating, .job, .sleep, .notification, .event: touchesEverything()
      }
    case .job, .caller, .event, .registration: touchesEverything()
    }
    // A task of another band or of a view may change which waiting task is the next.
    if entry.band != .medium || entry.view != nil { touchesEverything() }
    touches(entry.lane == .foreground ? .foreground : .background)
  }
}

extension ExploredMove {
  var id: Reduction.MoveID { Reduction.MoveID(entry: entry.id, isTime: isTime) }
}
