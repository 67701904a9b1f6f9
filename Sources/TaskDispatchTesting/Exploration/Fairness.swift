internal import TaskDispatch

/// Finds tasks that a chain of tasks has gone before for too long. In a chain, each task submits the next.
///
/// Threads would have run such a task by then (rule 11), so an order that keeps it waiting cannot happen. Tasks that
/// were there anyway do not count when they go before it: a program may have nothing but such tasks.
struct Fairness {
  /// A task is starved once a chain of this length has gone before it.
  static let longestChain = 20

  /// For each waiting task: the tasks that went before it, each with the length of the chain that it ended.
  private var chains: [UInt64: [UInt64: Int]] = [:]
  private var starved: Set<UInt64> = []

  /// Notes that `chosen` goes before `waiting`, which could have gone as well.
  mutating func goes(_ chosen: ExploredMove, before waiting: UInt64) {
    let parent = chosen.entry.parent.flatMap { chains[waiting]?[$0.record.id.number] }
    let length = (parent ?? 0) + 1
    chains[waiting, default: [:]][chosen.entry.id] = length
    if length >= Self.longestChain { starved.insert(waiting) }
  }

  /// Notes that `chosen` goes, and waits no longer.
  mutating func goes(_ chosen: ExploredMove) {
    if chains.isEmpty { return }
    chains[chosen.entry.id] = nil
    starved.remove(chosen.entry.id)
  }

  func isStarved(_ waiting: UInt64) -> Bool { starved.contains(waiting) }

  /// The index of the first of `moves` that has waited for too long.
  func starved(among moves: [ExploredMove]) -> Int? {
    starved.isEmpty ? nil : moves.firstIndex { starved.contains($0.entry.id) }
  }
}
