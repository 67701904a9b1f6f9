internal import TaskDispatch

/// Probabilistic concurrency testing (Burckhardt and others, 2010).
///
/// Chains of tasks have random priorities, and the highest goes first. At a few random steps, the chain that would go
/// falls behind all others. A bug that needs one ordering more than there are such steps is found with a chance that
/// can be computed.
struct Priorities: Sendable {
  let seed: UInt64
  /// The steps at which a chain falls behind, ascending.
  let changes: [Int]
  private var nextChange = 0
  /// The chain of each task. `continued` contains the tasks whose first child has gone on with their chain.
  private var chains: [UInt64: UInt64] = [:]
  private var continued: Set<UInt64> = []
  /// Chains that have fallen behind. The latest is the lowest.
  private var fallen: [UInt64: UInt64] = [:]

  init(seed: UInt64, changes: [Int]) {
    self.seed = seed
    self.changes = changes
  }

  mutating func created(_ entry: Entry) {
    guard let parent = entry.parent?.record.id.number, continued.insert(parent).inserted else {
      chains[entry.id] = entry.id
      return
    }
    chains[entry.id] = chains[parent] ?? entry.id
  }

  mutating func choose(among moves: [ExploredMove], at step: Int) -> Int {
    let chosen = highest(moves)
    guard nextChange < changes.count, step >= changes[nextChange] else { return chosen }
    nextChange += 1
    fallen[chain(of: moves[chosen])] = UInt64(fallen.count + 1)
    return highest(moves)
  }

  /// Chooses among things that are not tasks, by the seed and the position of the choice.
  func any(_ count: Int, at position: Int) -> Int {
    Int(SplitMix64.mixed(seed &+ UInt64(position) &* 0x9E37_79B9_7F4A_7C15) % UInt64(count))
  }

  private func highest(_ moves: [ExploredMove]) -> Int {
    moves.indices.max { priority(of: moves[$0]) < priority(of: moves[$1]) }!
  }

  private func chain(of move: ExploredMove) -> UInt64 {
    // Time that passes belongs to no task's chain.
    if case .time = move.action { return ~move.entry.id }
    return chains[move.entry.id] ?? move.entry.id
  }

  private func priority(of move: ExploredMove) -> UInt64 {
    let chain = chain(of: move)
    if let place = fallen[chain] { return UInt64(UInt32.max) - place }
    return SplitMix64.mixed(seed ^ chain) | 1 << 63
  }
}
