internal import Synchronization
internal import TaskDispatch

extension RecordingDispatcher {
  /// Runs a body on this thread, as a task of its queue, with this dispatcher current.
  ///
  /// - Parameter endsStep: Whether this is all that the step does.
  /// - Returns: How it ended.
  @discardableResult
  func perform(_ body: Entry, endsStep: Bool = false) -> Outcome {
    if case .caller(let caller) = body.work, body.standsOnItsCaller {
      return body.run(by: self, standingOn: caller.base) {
        complete(body, false) {
          caller.run()
          return .completed
        }
      }
    }
    return perform(body, endsStep) {
      switch body.work {
      case .plain(let work): work()
      case .item(let item): return item.run()
      case .job(let job): job.executor.run(job.job)
      case .event(let event): event.perform(event)
      case .caller(let caller): caller.run()
      case .registration: refuse("\(body.record) has nothing to run here")
      }
      return .completed
    }
  }

  @discardableResult @inline(__always)
  private func perform(_ body: Entry, _ endsStep: Bool, _ work: () -> Outcome) -> Outcome {
    body.enter(by: self, hidesOuter: body.willHideOuter)
    defer { body.leave() }
    return complete(body, endsStep, work)
  }

  /// Runs a body in its frame, and ends it there.
  @inline(__always)
  private func complete(_ body: Entry, _ endsStep: Bool, _ work: () -> Outcome) -> Outcome {
    let hasHooks = hasHooks.load(ordering: .relaxed)
    if hasHooks { callHook(\.onEnter, body.record) }
    let outcome = work()
    if hasHooks { callHook(\.onExit, body.record) }
    // Inside the frame: whoever is told of the end, and submits, has this task as the parent.
    let isOver = withState { state -> Bool in
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
