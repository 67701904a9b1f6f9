/// Every schedule within bounds, one after the other: depth first.
package struct Search {
  package struct Bounds: Sendable {
    /// How often a thread that could go on may have to wait for another.
    package var preemptions: Int
    /// How often another thread than the first may be chosen where the thread that had the baton cannot go on. The
    /// first is the next one in the order in which the threads began.
    package var detours: Int

    package init(preemptions: Int, detours: Int) {
      self.preemptions = preemptions
      self.detours = detours
    }

    func allowed(of count: Int, isFree: Bool) -> Int {
      (isFree ? detours : preemptions) > 0 ? count : 1
    }

    mutating func spend(isFree: Bool) {
      if isFree { detours -= 1 } else { preemptions -= 1 }
    }
  }

  private let bounds: Bounds
  private var prefix: [Int]? = []

  package init(within bounds: Bounds) { self.bounds = bounds }

  /// What chooses in the next run. Nil once every schedule was tried.
  package var next: Chooser? { prefix.map { Chooser(prefix: $0, within: bounds) } }

  /// Notes what was chosen in the run that ``next`` was for.
  ///
  /// - Returns: False if that run has left the schedule: the program is not the same twice.
  package mutating func note(_ simulation: Simulation) -> Bool {
    let (taken, new) = (simulation.choices, simulation.countsOfChoices)
    guard let former = prefix, taken.count >= former.count, taken.starts(with: former) else {
      return false
    }
    // The last choice that has another way.
    guard let last = taken.indices.last(where: { taken[$0] + 1 < new[$0] }) else {
      prefix = nil
      return true
    }
    prefix = Array(taken[..<last]) + [taken[last] + 1]
    return true
  }
}

/// Searches within growing bounds, for most faults need one preemption or none. A schedule that is within a smaller bound
/// comes again within a larger one.
package struct Deepening {
  private var search: Search
  private var left: [Search.Bounds]

  package init(to bounds: Search.Bounds) {
    left = [bounds]
    if bounds.preemptions > 1 { left.insert(.init(preemptions: 1, detours: bounds.detours), at: 0) }
    if bounds.preemptions > 0, bounds.detours > 0 {
      left.insert(.init(preemptions: 1, detours: 0), at: 0)
    }
    search = Search(within: left.removeFirst())
  }

  /// What chooses in the next run. Nil once every schedule within the last bounds was tried.
  package var next: Chooser? {
    mutating get {
      while search.next == nil, !left.isEmpty { search = Search(within: left.removeFirst()) }
      return search.next
    }
  }

  /// Notes what was chosen in the run that ``next`` was for: see ``Search/note(_:)``.
  package mutating func note(_ simulation: Simulation) -> Bool { search.note(simulation) }
}
