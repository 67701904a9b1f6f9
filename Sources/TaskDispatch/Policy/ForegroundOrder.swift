/// The order of the foreground. *Posted* tasks are strictly first in, first out. So are *due* ones: timers whose time
/// has come, and calls of event handlers. While both wait, the two kinds alternate.
///
/// So timers that are overdue again and again, since their bodies take longer than their interval, do not keep posted
/// tasks from running (rule 11).
@usableFromInline package struct ForegroundOrder<Entry>: ~Copyable {
  @usableFromInline package var posted: ReadyQueue<Entry>
  @usableFromInline package var due: ReadyQueue<Entry>
  /// The last task came from ``due``, so the next comes from ``posted`` if one waits there.
  @usableFromInline var postedIsNext = false

  /// - Parameters:
  ///   - agingStep: As in ``ReadyQueue``. It has no effect, since each of the two queues has one band.
  ///   - relocated: Called for each task that compaction has moved, with its new position.
  @inlinable package init(
    agingStep: Int64, relocated: @escaping (inout Entry, Int) -> Void = { _, _ in }
  ) {
    posted = ReadyQueue(agingStep: agingStep, relocated: relocated)
    due = ReadyQueue(agingStep: agingStep, relocated: relocated)
  }

  @inlinable package var isEmpty: Bool { !due.hasStartable && !posted.hasStartable }

  /// Takes the next task. Nil if none waits.
  @inlinable package mutating func take(now: () -> Int64) -> Entry? {
    if !postedIsNext, let entry = due.take(now: now) {
      postedIsNext = true
      return entry
    }
    postedIsNext = false
    return posted.take(now: now) ?? due.take(now: now)
  }

  /// Takes the next task if that is a posted one that `isWanted`, and no due task waits. For a thread that has just
  /// run a posted task.
  @inlinable @inline(__always)
  package mutating func takeOnly(if isWanted: (inout Entry) -> Bool) -> Entry? {
    due.hasStartable ? nil : posted.takeOnly(if: isWanted)
  }

  /// Calls `body` with every task that waits: the posted ones, then the due ones.
  @inlinable package func forEach(_ body: (borrowing Entry) -> Void) {
    posted.forEach(body)
    due.forEach(body)
  }
}
