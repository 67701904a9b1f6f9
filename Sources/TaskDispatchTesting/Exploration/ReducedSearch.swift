internal import TaskDispatch

/// Tries every order, except those that differ from others only in what no task can observe. Uses dynamic
/// partial-order reduction (Flanagan and Godefroid, 2005) with sleep sets (Godefroid, 1996).
///
/// Where two moves of a run touch something in common, the later one is tried in the place of the earlier one, if it
/// could have been made there. If it could not, every move is tried that could. No other move is tried.
struct ReducedSearch: ScheduleSearch {
  private struct Node {
    var decision: Decision
    /// Nil for a choice that is not between moves.
    let branch: Reduction.Branch?
    /// Moves that must be tried.
    var wanted: Set<Reduction.MoveID> = []
    var tried: Reduction.Moves = [:]

    /// The next option to try. Nil if none is left.
    var next: Int32? {
      guard let branch else {
        return decision.chosen + 1 < decision.count ? decision.chosen + 1 : nil
      }
      return branch.moves.indices.first { index in
        let move = branch.moves[index]
        return wanted.contains(move) && tried[move] == nil && branch.asleep[move] == nil
      }.map(Int32.init)
    }
  }

  /// The choices of the last schedule, up to the one from which on it was known.
  private var nodes: [Node] = []
  private var isOver = false

  mutating func next() -> Decisions.Plan? {
    if isOver { return nil }
    let asleep = nodes.last.flatMap { node in
      node.branch?.asleep.merging(node.tried, uniquingKeysWith: { old, _ in old })
    }
    return .reduced(nodes.map(\.decision), asleep: asleep ?? [:])
  }

  mutating func ran(_ decisions: Decisions) {
    let reduction = decisions.reduction!
    reduction.endMove()
    let end = min(reduction.knownFrom ?? .max, decisions.taken.count)
    for position in nodes.count..<max(end, nodes.count) {
      nodes.append(
        Node(decision: decisions.taken[position], branch: reduction.branches[position]))
    }
    noteTried(reduction.steps)
    noteWanted(reduction.steps)
    while let last = nodes.last {
      if let next = last.next {
        nodes[nodes.count - 1].decision = Decision(
          chosen: next, count: last.decision.count, kind: last.decision.kind)
        return
      }
      nodes.removeLast()
    }
    isOver = true
  }

  private mutating func noteTried(_ steps: [Reduction.Step]) {
    for step in steps {
      guard let choice = step.choice, choice < nodes.count else { continue }
      nodes[choice].tried[step.move] = step.footprint
    }
  }

  private mutating func noteWanted(_ steps: [Reduction.Step]) {
    for (index, later) in steps.enumerated() {
      // The moves after the last new choice come there in another schedule as well.
      if let choice = later.choice, choice >= nodes.count { return }
      for earlier in steps[..<index] {
        guard let choice = earlier.choice, !later.footprint.isIndependent(of: earlier.footprint),
          !later.entry.descends(from: earlier.entry), let branch = nodes[choice].branch
        else { continue }
        if branch.moves.contains(later.move) {
          nodes[choice].wanted.insert(later.move)
        } else {
          nodes[choice].wanted.formUnion(branch.moves)
        }
      }
    }
  }

  var hasTriedEverything: Bool { isOver }
}

extension Entry {
  /// Whether `other` is an ancestor of this task.
  fileprivate func descends(from other: Entry) -> Bool {
    var parent = parent
    while let one = parent {
      if one.record.id.number == other.id { return true }
      parent = one.parent
    }
    return false
  }
}
