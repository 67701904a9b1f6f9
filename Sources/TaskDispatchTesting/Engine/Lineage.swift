internal import TaskDispatch

/// What is kept of a task for its descendants and for the history, after the task has ended.
///
/// A chain that reaches twice ``longest`` tasks is cut to the nearest ``longest``. So a task that submits itself for
/// ever does not grow memory for ever.
final class Lineage: Sendable {
  static let longest = 32

  let record: TaskRecord
  let parent: Lineage?
  let depth: Int

  init(_ record: TaskRecord, parent: Lineage?) {
    self.record = record
    if let parent, parent.depth + 1 >= 2 * Self.longest {
      let kept = parent.cut(to: Self.longest)
      self.parent = kept
      depth = kept.depth + 1
    } else {
      self.parent = parent
      depth = (parent?.depth ?? -1) + 1
    }
  }

  private init(_ record: TaskRecord, on parent: Lineage?) {
    self.record = record
    self.parent = parent
    depth = (parent?.depth ?? -1) + 1
  }

  /// The nearest `count` tasks of this chain, as a chain of its own.
  private func cut(to count: Int) -> Lineage {
    var nearest: [TaskRecord] = []
    var next: Lineage? = self
    while let lineage = next, nearest.count < count {
      nearest.append(lineage.record)
      next = lineage.parent
    }
    let oldest = Lineage(nearest.removeLast(), on: nil)
    return nearest.reversed().reduce(oldest) { Lineage($1, on: $0) }
  }

  /// The tasks that led here, the nearest first; at most ``longest``.
  var chain: [TaskRecord] {
    Array(sequence(first: self, next: \.parent).prefix(Self.longest).map(\.record))
  }
}
