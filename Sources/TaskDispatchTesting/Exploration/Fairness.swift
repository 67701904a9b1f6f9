internal import TaskDispatch

/// Finds what a chain of tasks, of which each submits the next, has gone before for too long.
///
/// Threads would have run it by then (rule 11), so an order in which it waits on is none. What tasks go before it that
/// were there anyway does not count: that may be all that a program has.
struct Fairness {
  /// How many tasks may go before another, of which each was submitted by the one before.
  static let longestChain = 20

  /// By what waits: what went before it, and of how long a chain that was the end.
  private var chains: [UInt64: [UInt64: Int]] = [:]
  private var starved: Set<UInt64> = []

  /// `chosen` goes before `waiting`, which could have gone as well.
  mutating func goes(_ chosen: ExploredMove, before waiting: UInt64) {
    let parent = chosen.entry.parent.flatMap { chains[waiting]?[$0.record.id.number] }
    let length = (parent ?? 0) + 1
    chains[waiting, default: [:]][chosen.entry.id] = length
    if length >= Self.longestChain { starved.insert(waiting) }
  }

  /// `chosen` goes, and waits no longer.
  mutating func goes(_ chosen: ExploredMove) {
    if chains.isEmpty { return }
    chains[chosen.entry.id] = nil
    starved.remove(chosen.entry.id)
  }

  func isStarved(_ waiting: UInt64) -> Bool { starved.contains(waiting) }

  /// The first of `moves` that has waited for too long.
  func starved(among moves: [ExploredMove]) -> Int? {
    starved.isEmpty ? nil : moves.firstIndex { starved.contains($0.entry.id) }
  }
}
