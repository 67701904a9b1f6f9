/// The items that a dispatcher ends together, and what is to be told of their ends (rule 20). For authors of
/// dispatchers.
///
/// ```swift
/// var endings = Endings()
/// lock.withLock { for taken in cancelled { endings.end(taken, .cancelled) } }
/// endings.tell(for: self, outsideTasks: false) { /* resume own Tasks, call the observer */ }
/// ```
public struct Endings: ~Copyable {
  private var ended: [(item: WorkItem, outcome: Outcome, telling: WorkItem.Telling)] = []

  public init() {}

  /// Gives an item its outcome, and leaves its group. Neither calls nor releases user code, so a dispatcher may call
  /// it under its lock.
  ///
  /// A repeating timer ends `.cancelled`, since it never begins. Any thread. Traps if the outcome says that the body has
  /// begun (`.completed`, `.failed`, `.abandoned`) and the item does not run.
  ///
  /// - Returns: False if the outcome says that the body has not begun, and the item has begun or ended before. Then
  ///   nothing has changed.
  /// - Complexity: Amortised O(1).
  @discardableResult
  public mutating func end(_ taken: TakenItem, _ outcome: Outcome) -> Bool {
    guard let telling = taken.item.setOutcome(outcome) else { return false }
    if !telling.isNothing { ended.append((taken.item, outcome, telling)) }
    return true
  }

  /// Tells of all these ends: wakes the threads that wait for them, resumes the Tasks, submits the notifications of
  /// groups, then calls `own`, and then the observers of the items and groups. Bodies that never ran, and values that no
  /// code has a handle of, are released as well.
  ///
  /// Call it once, on the thread that has ended the items, under no lock, also if there is nothing to tell but `own`.
  /// It calls user code, which may submit to the dispatcher, and wait for it.
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher that tells. Code that is called back waits for a group through it. Nil in the
  ///     `deinit` of a dispatcher.
  ///   - outsideTasks: Whether the code that is called is in no task: so it is after the end of a body. False inside a
  ///     call of user code, such as `cancel`. Then it is in the task of the calling code.
  ///   - own: What the dispatcher itself has to tell. First it resumes the Tasks that await a flush or a report. Then it
  ///     calls its observer.
  public consuming func tell(
    for dispatcher: (any DispatcherImplementation)?, outsideTasks: Bool, _ own: () -> Void = {}
  ) {
    // Taken out: what the items hold is released inside the delivery.
    var ended = Optional(ended)
    func tellAll() {
      guard let all = ended.take() else { return }
      for end in all { end.item.wakeThreads(end.telling) }
      for end in all { end.item.resume(end.outcome, end.telling) }
      own()
      for end in all { end.item.tell(end.outcome, end.telling) }
    }
    guard let dispatcher else { return tellAll() }
    TaskContext.delivering(for: dispatcher, outsideTasks: outsideTasks, tellAll)
  }
}
