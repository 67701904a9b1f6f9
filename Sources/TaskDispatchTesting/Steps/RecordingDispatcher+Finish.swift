public import TaskDispatch

extension RecordingDispatcher {
  /// Ends the test: reports what was left over, what was thrown and what escaped.
  ///
  /// Call it at the end of the test, or let the test's trait do so. Afterwards every submission is refused. Leftover
  /// tasks have been cancelled and released, and the ``ledger`` counts them so. The hooks are gone. A second call does
  /// nothing. `deinit` reports nothing.
  ///
  /// - Throws: ``FinishError``, if there is anything to report.
  public func finish() throws(FinishError) {
    let error = withState { state -> FinishError in
      guard !state.isFinished else { return FinishError() }
      defer { state.isFinished = true }
      return state.finishError()
    }
    // A waiting body or a hook often retains the dispatcher that retains it.
    withState { $0.cancelEverything() }
    removeHooks()
    guard error.isEmpty else { throw error }
  }

  /// Allows the tasks that are submitted while `body` runs to be left over at ``finish()``.
  public func allowingLeftovers<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    withState { $0.leftoverAllowances += 1 }
    defer { withState { $0.leftoverAllowances -= 1 } }
    return try body()
  }

  /// Allows every task with this label to be left over at ``finish()``, also tasks submitted later.
  public func allowLeftovers(labeled label: String) {
    withState { _ = $0.allowedLabels.insert(label) }
  }

  /// Allows this task to be left over at ``finish()``.
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
