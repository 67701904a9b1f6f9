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

  /// Traps if the items that it has ended were not told of.
  deinit {
    require(
      ended.isEmpty,
      "Endings were dropped that nothing was told of, such as that of \(ended[0].item.name): call tell(for:outsideTasks:_:)"
    )
  }

  /// Gives an item its outcome, and leaves its group. Neither calls nor releases user code, so a dispatcher may call
  /// it under its lock.
  ///
  /// A repeating timer ends `.cancelled`, since it never begins, and after its last run. Any thread.
  ///
  /// Traps if the outcome says that the body has begun (`.completed`, `.failed`, `.abandoned`) and the item does not run;
  /// if it says that the body has ended and ``WorkItem/run()`` was not called; if the item is a repeating timer that has a
  /// run.
  ///
  /// - Returns: False if the outcome says that the body has not begun, and the item has begun or ended before. Then
  ///   nothing has changed.
  /// - Complexity: Amortised O(1).
  @discardableResult
  public mutating func end(_ taken: TakenItem, _ outcome: Outcome) -> Bool {
    requireFit(taken.item, outcome)
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
  ///     call of user code, such as `cancel`. Then it is in the task of the calling code, as always without a dispatcher.
  ///   - own: What the dispatcher itself has to tell. First it resumes the Tasks that await a flush or a report. Then it
  ///     calls its observer.
  public consuming func tell(
    for dispatcher: (any DispatcherImplementation)?, outsideTasks: Bool, _ own: () -> Void = {}
  ) {
    // Taken out: what the items hold is released inside the delivery.
    var taken = Optional(ended)
    ended = []
    func tellAll() {
      guard let all = taken.take() else { return }
      for end in all { end.item.wakeThreads(end.telling) }
      for end in all { end.item.resume(end.outcome, end.telling) }
      own()
      for end in all { end.item.tell(end.outcome, end.telling) }
    }
    guard let dispatcher else { return tellAll() }
    TaskContext.delivering(for: dispatcher, outsideTasks: outsideTasks, tellAll)
  }

  /// Traps if `outcome` is not one that `item` can have now.
  private func requireFit(_ item: WorkItem, _ outcome: Outcome) {
    if let timer = item as? RepeatingItem {
      require(
        timer.run == nil,
        "\(item.name) cannot end while it has a run: end that first, and call endRun(at:) or forgetRun()"
      )
    }
    switch outcome {
    case .completed, .failed:
      require(item.isRunning, "\(item.name) cannot end as \(outcome): it does not run")
      require(
        item.hasCalledBody || item.kind == .sleep,
        "\(item.name) cannot end as \(outcome): its body was not called. End it with what run() returned"
      )
    case .abandoned: require(item.isRunning, "\(item.name) cannot be abandoned: it does not run")
    case .cancelled, .expired, .refused: break
    }
  }
}
