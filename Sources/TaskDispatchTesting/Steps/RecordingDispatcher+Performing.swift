internal import Synchronization
internal import TaskDispatch

extension RecordingDispatcher {
  /// Runs a body on this thread, as a task of its queue, with this dispatcher current.
  ///
  /// - Parameter endsStep: Whether this is all that the step does.
  /// - Returns: How it ended.
  @discardableResult
  func perform(_ body: Entry, endsStep: Bool = false) -> Outcome {
    if case .caller(let caller) = body.work, body.runsAboveItsCaller {
      let outcome = body.run(by: self, above: caller.base) {
        withHooks(around: body) {
          caller.run()
          return .completed
        }
      }
      return complete(body, outcome, endsStep: false)
    }
    return perform(body, endsStep) {
      switch body.work {
      case .body: body.takePlain()()
      case .item(let item): return item.run()
      case .job(let job): job.executor.run(job.job)
      case .event(let event): event.perform(event)
      case .caller(let caller): caller.run()
      case .registration, .plain: refuse("\(body.record) has nothing to run here")
      }
      return .completed
    }
  }

  @discardableResult @inline(__always)
  private func perform(_ body: Entry, _ endsStep: Bool, _ work: () -> Outcome) -> Outcome {
    body.enter(by: self, hidesOuter: body.willHideOuter)
    let outcome = withHooks(around: body, work)
    body.leave()
    return complete(body, outcome, endsStep: endsStep)
  }

  /// Runs a body between the hooks, in its running-task context.
  @inline(__always)
  private func withHooks(around body: Entry, _ work: () -> Outcome) -> Outcome {
    let hasHooks = hasHooks.load(ordering: .relaxed)
    if hasHooks { callHook(\.onEnter, body.record) }
    let outcome = work()
    if hasHooks { callHook(\.onExit, body.record) }
    return outcome
  }

  /// Ends a body that has left its running-task context.
  ///
  /// Callbacks about it are made in no task's context. The end of a `sync` is an exception: it belongs to the call, so
  /// they are made in the context of the code that called.
  @inline(__always)
  private func complete(_ body: Entry, _ outcome: Outcome, endsStep: Bool) -> Outcome {
    let isOver = withState(outsideTasks: !body.runsOnCaller) { state -> Bool in
      state.finish(body, outcome)
      return endsStep && state.endStepIfNothingIsToBeTold()
    }
    if endsStep, !isOver { endStepping() }
    return outcome
  }

  private func callHook(
    _ hook: KeyPath<State.Hooks, (@Sendable (TaskRecord) -> Void)?>, _ record: TaskRecord
  ) {
    let call = withState { $0.hooks }[keyPath: hook]
    call?(record)
  }
}
