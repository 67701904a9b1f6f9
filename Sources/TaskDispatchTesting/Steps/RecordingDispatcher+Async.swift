internal import TaskDispatch

extension RecordingDispatcher {
  /// Starts `operation` as a Task on the foreground, and steps everything until it has ended.
  ///
  /// Each of its resumptions is a step on this thread, so a scenario with actors, child tasks and
  /// sleeps on this dispatcher's clock gives the same history every time. May be called from
  /// synchronous and from asynchronous tests.
  ///
  /// - Parameters:
  ///   - movingTime: Whether time goes to the next deadline when nothing else can run. Otherwise an
  ///     operation that sleeps is stuck, and the error says so.
  ///   - limit: The most steps; that of the configuration if nil.
  /// - Returns: What `operation` returns.
  /// - Throws: What `operation` throws; a ``StepError`` if it cannot come to its end:
  ///   ``StepError/escaped(_:pending:nextDeadline:)`` if it waits for something else than this
  ///   dispatcher, ``StepError/notEnded(_:pending:nextDeadline:)`` if something waits here that
  ///   cannot run. Its Task is then left as it is.
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

  /// Moves to the next deadline. False if there is none.
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
      // Something that waits here may let it go on: then it has not left this dispatcher.
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
