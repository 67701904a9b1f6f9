internal import TaskDispatch

extension RecordingDispatcher {
  /// Starts `operation` as a Task on the foreground, and steps everything until it has ended.
  ///
  /// Each of its resumptions is a step on this thread. So a scenario with actors, child tasks and sleeps on this
  /// dispatcher's clock gives the same history every time. Synchronous and asynchronous tests may call it. A body may
  /// not.
  ///
  /// - Parameters:
  ///   - movingTime: Whether time moves to the next deadline when nothing else can run. Otherwise an operation that
  ///     sleeps cannot end, and the error says so.
  ///   - limit: The most steps, at least 1. The configuration's limit if nil.
  /// - Returns: What `operation` returns.
  /// - Throws: What `operation` throws, or a ``StepError`` if it cannot come to its end.
  ///   ``StepError/escaped(_:pending:nextDeadline:)``: it waits for something outside this dispatcher.
  ///   ``StepError/notEnded(_:pending:nextDeadline:)``: something waits here that cannot run. After a ``StepError`` the
  ///   Task is left as it is.
  public func runAsync<Value: Sendable>(
    movingTime: Bool = false, limit: Int? = nil, fileID: StaticString = #fileID,
    line: UInt = #line, _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) throws -> Value {
    let ending = Ending<Value>()
    try beginStepping("runAsync(_:)")
    defer { endStepping() }
    let task = Task(executorPreference: foreground.executor) {
      do { ending.set(.success(try await operation())) } catch { ending.set(.failure(error)) }
    }
    defer { withExtendedLifetime(task) {} }
    let budget = makeStepBudget(limit)
    while ending.result == nil {
      try check(budget, .everything)
      if let next = takeNext() {
        try performStep(next, budget)
      } else if looksAgain(.everything) {
        continue
      } else if try !movingTime || !moveToNextDeadline() {
        throw stuck(CallSite(fileID: fileID, line: line))
      }
    }
    return try ending.result!.get()
  }

  /// Moves time to the next deadline. Returns false if there is none.
  private func moveToNextDeadline() throws(StepError) -> Bool {
    try withState { state throws(StepError) in
      guard let next = state.nextDeadlineInstant else { return false }
      try state.move(to: next)
      state.advanceShutdown()
      return true
    }
  }

  private func stuck(_ site: CallSite) -> StepError {
    withState { state in
      let pending = state.pendingTasks()
      let deadline = state.nextDeadlineInstant
      // A task that waits here may let the operation go on, so the operation has not left this dispatcher.
      return pending.isEmpty
        ? .escaped("the operation of \(site)", pending: pending, nextDeadline: deadline)
        : .notEnded("the operation of \(site)", pending: pending, nextDeadline: deadline)
    }
  }
}

/// How an operation ended, once it has.
private final class Ending<Value: Sendable>: Sendable {
  private let state = Locked<Result<Value, any Error>?>(nil)
  func set(_ result: Result<Value, any Error>) { state.withLock { $0 = result } }
  var result: Result<Value, any Error>? { state.withLock { $0 } }
}
