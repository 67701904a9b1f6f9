/// The order of the foreground. *Posted* tasks are strictly first in, first out. So are *due* ones: timers whose time
/// has come, and calls of event handlers. While both wait, the two kinds alternate.
///
/// So timers that are overdue again and again, since their bodies take longer than their interval, do not keep posted
/// tasks from running (rule 11).
@usableFromInline package struct ForegroundOrder<Entry>: ~Copyable {
  @usableFromInline package var posted: ReadyQueue<Entry>
  @usableFromInline package var due: ReadyQueue<Entry>
  /// The last task came from ``due``, so the next comes from ``posted`` if one waits there.
  @usableFromInline var tookDue = false

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
    let entry = postedIsNext ? nil : due.take(now: now)
    tookDue = entry != nil
    return entry ?? posted.take(now: now)
  }

  /// Whether ``take(now:)`` would take a posted task.
  @inlinable package var postedIsNext: Bool {
    posted.hasStartable && (tookDue || !due.hasStartable)
  }

  /// Takes the next posted task, although a due one may be next. Nil if none waits.
  @inlinable package mutating func takePosted(now: () -> Int64) -> Entry? {
    let entry = posted.take(now: now)
    if entry != nil { tookDue = false }
    return entry
  }

  /// Takes the due task that stands at `position`, although another task may be next.
  @inlinable package mutating func takeDue(at position: Int) -> Entry? {
    let entry = due.remove(at: position, in: .medium)
    if entry != nil { tookDue = true }
    return entry
  }

  /// Shows the task that ``take(now:)`` would return to `body`, and leaves it in place. Nil if none waits.
  @inlinable package func withNext<Result>(
    now: () -> Int64, _ body: (borrowing Entry) -> Result
  ) -> Result? {
    postedIsNext ? posted.withNext(now: now, body) : due.withNext(now: now, body)
  }

  /// Calls `body` with every task that waits: the posted ones, then the due ones.
  @inlinable package func forEach(_ body: (borrowing Entry) -> Void) {
    posted.forEach(body)
    due.forEach(body)
  }
}
