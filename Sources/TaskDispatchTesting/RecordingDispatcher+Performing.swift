internal import Synchronization
internal import TaskDispatch

extension RecordingDispatcher {
  /// Runs a body on this thread, as a task of its queue, with this dispatcher current.
  ///
  /// - Parameter endsStep: Whether this is all that the step does.
  /// - Returns: How it ended.
  @discardableResult
  func perform(_ body: Body, endsStep: Bool = false) -> Outcome {
    // Binding allocates; a test whose scope has bound this dispatcher already does not pay for it.
    if Dispatchers.scoped === self { return run(body, endsStep) }
    return Dispatchers.$scoped.withValue(self) { run(body, endsStep) }
  }

  private func run(_ body: Body, _ endsStep: Bool) -> Outcome {
    body.run {
      let hasHooks = hasHooks.load(ordering: .relaxed)
      if hasHooks { callHook(\.onEnter, body.record) }
      let outcome: Outcome
      switch body.entry.work {
      case .plain(let work):
        work()
        outcome = .completed
      case .item(let item): outcome = item.run()
      case .job(let job, let executor):
        executor.run(job)
        outcome = .completed
      case .event(let event):
        event.perform(event)
        outcome = .completed
      case .caller: refuse("a caller runs its own body")
      }
      if hasHooks { callHook(\.onExit, body.record) }
      // Inside the frame: whoever is told of the end, and submits, has this task as the parent.
      let isOver = withState { state -> Bool in
        state.finish(body, outcome)
        return endsStep && state.endStepIfNothingIsToBeTold()
      }
      if endsStep, !isOver { endStepping() }
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
