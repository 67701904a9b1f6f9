internal import Synchronization
internal import TaskDispatch

extension RecordingDispatcher {
  /// Runs a body on this thread, as a task of its queue, with this dispatcher current.
  ///
  /// - Returns: How it ended.
  @discardableResult
  func perform(_ performance: Performance) -> Outcome {
    // Binding allocates; a test whose scope has bound this dispatcher already does not pay for it.
    if Dispatchers.scoped === self { return run(performance) }
    return Dispatchers.$scoped.withValue(self) { run(performance) }
  }

  private func run(_ performance: Performance) -> Outcome {
    performance.frame.run {
      if hasHooks.load(ordering: .relaxed) { callHook(\.onEnter, performance.record) }
      let outcome: Outcome
      switch performance.entry.work {
      case .plain(let body):
        body()
        outcome = .completed
      case .item(let item): outcome = item.run()
      case .job(let job, let executor):
        executor.run(job)
        outcome = .completed
      case .event(let event):
        event.perform(event)
        outcome = .completed
      case .caller: preconditionFailure("a caller runs its own body")
      }
      if hasHooks.load(ordering: .relaxed) { callHook(\.onExit, performance.record) }
      // Inside the frame: whoever is told of the end, and submits, has this task as the parent.
      withState { $0.finish(performance, outcome) }
      return outcome
    }
  }

  private func callHook(
    _ hook: KeyPath<State.Hooks, (@Sendable (TaskRecord) -> Void)?>, _ record: TaskRecord
  ) {
    let call = withState { $0.hooks }[keyPath: hook]
    call?(record)
  }
}
