public import TaskDispatch

extension RecordingDispatcher {
  /// Ends the test: says what was left over, what was thrown, and what escaped.
  ///
  /// Call it when the test has done what it wanted; the test's trait does. Afterwards submissions
  /// are refused, what was left over has been cancelled and released, also in the ``ledger``, and the
  /// hooks are gone. A second call does nothing. Nothing is ever reported from `deinit`.
  ///
  /// - Throws: ``FinishError``, if there is anything to say.
  public func finish() throws(FinishError) {
    let error = withState { state -> FinishError in
      guard !state.isFinished else { return FinishError() }
      defer { state.isFinished = true }
      return state.finishError()
    }
    // A body that waits, and a hook, often hold the dispatcher that holds them.
    withState { $0.cancelEverything() }
    removeHooks()
    guard error.isEmpty else { throw error }
  }

  /// Lets the tasks that `body` submits be left over.
  public func allowingLeftovers<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    withState { $0.leftoverAllowances += 1 }
    defer { withState { $0.leftoverAllowances -= 1 } }
    return try body()
  }

  /// Lets every task with this label be left over, those to come too.
  public func allowLeftovers(labeled label: String) {
    withState { _ = $0.allowedLabels.insert(label) }
  }

  /// Lets this task be left over.
  public func allowLeftover(_ id: TaskID) {
    withState { _ = $0.allowedLeftovers.insert(id.number) }
  }
}

extension State {
  fileprivate func finishError() -> FinishError {
    var error = FinishError()
    if configuration.leftovers != .ignore, hasPendingTasks {
      error.leftovers = pendingTasks().filter { pending in
        !allowedLeftovers.contains(pending.task.id.number)
          && !(pending.task.label.map(allowedLabels.contains) ?? false)
          && !(pending.repeats && configuration.leftovers == .failExceptRepeating)
      }
    }
    if configuration.thrownErrors != .ignore {
      error.thrown = thrown.filter { !$0.item.failureIsSeen }
        .map { .init(task: $0.record, error: $0.error) }
    }
    if configuration.escapesFail { error.escapes = escapes }
    error.unexpectedUses = unexpectedUses
    error.automaticErrors = automaticErrors
    return error
  }
}
