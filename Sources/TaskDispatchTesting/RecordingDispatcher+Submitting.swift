public import TaskDispatch

extension RecordingDispatcher {
  public func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    // The body is handed over and not copied: a copy retains its captures.
    var work: Entry.Work? = .plain(body)
    while true {
      let (admission, next) = withState { state in
        state.admit(
          work.take()!, on: queue.lane, state.view(queue.view),
          isBarrier: queue.isBarrier && queue.lane == .background, site: site)
      }
      switch next {
      case .nothing: return admission
      case .makeRoom(let entry):
        if let refusal = makeRoom(for: entry, on: queue) { return refusal }
        work = .plain(entry.takePlain())
      case .perform, .runAutomatically:
        carryOn(next)
        return admission
      }
    }
  }

  @discardableResult
  public func submit(_ item: WorkItem) -> Admission {
    guard item.markTaken() else { return item.admissionAgain }
    while true {
      let (admission, next) = withState { $0.admit(item, mayWaitForRoom: false) }
      guard case .makeRoom(let entry) = next else {
        carryOn(next)
        return admission
      }
      let queue = TaskQueue(dispatcher: self, view: item.view, lane: item.lane)
      if let refusal = makeRoom(for: entry, on: queue) { return refusal }
    }
  }

  public func submitWhenRoom(_ item: WorkItem) {
    guard item.markTaken() else { return }
    carryOn(withState { $0.admit(item, mayWaitForRoom: true) }.1)
  }

  public func release(_ item: WorkItem) {
    let isIn = withState { $0.release(item) }
    if isIn { runAutomatically() }
  }

  public func cancel(_ item: WorkItem) -> Cancellation {
    let answer = withState { state in
      let answer = state.cancel(item)
      state.decisions?.answered(answer)
      return answer
    }
    advanceShutdownToItsEnd()
    return answer
  }

  public func suspend(_ queue: TaskQueue) {
    queue.requireSuspendable()
    withState { state in
      if state.configuration.policy == .unimplemented {
        state.noteUnexpectedUse(CallSite(fileID: "suspend()", line: 0))
      }
      let view = state.view(queue.view)
      if state.decisions != nil {
        state.decideStarts(.suspend, of: queue.label) { $0.view === view }
      }
      let time = state.now
      state.pool.suspend(state.poolView(view), now: { time })
    }
  }

  public func resume(_ queue: TaskQueue) {
    queue.requireResumable()
    withState { state in
      let time = state.now
      let view = state.poolView(state.view(queue.view))
      state.decisions?.reduction?.touchesEverything()
      require(
        view.queue.isSuspended, "\(queue.label) was resumed more often than it was suspended")
      state.pool.resume(view, now: { time })
      state.admitCallers()
    }
    runAutomatically()
  }

  nonisolated(nonsending) public func flush(_ queue: TaskQueue) async {
    await withCheckedContinuation { continuation in
      withState { state in
        if state.configuration.policy == .unimplemented {
          state.noteUnexpectedUse(CallSite(fileID: "flush()", line: 0))
        }
        let ids = state.unfinished(on: queue)
        let wake: @Sendable () -> Void = { continuation.resume() }
        if ids.isEmpty {
          state.wakeLater(wake)
        } else {
          state.decisions?.reduction?.touchesEverything()
          state.flushes.append(State.Flush(remaining: ids, wake: wake))
        }
      }
    }
  }

  /// Does what is left of a submission, accepted or refused, once the lock is released.
  private func carryOn(_ next: State.Next) {
    switch next {
    case .nothing, .makeRoom: break
    case .perform(let body):
      perform(body)
      advanceShutdownToItsEnd()
      // The body may have created Swift Tasks. Their jobs cannot run inside it.
      runAutomatically()
    case .runAutomatically: runAutomatically()
    }
  }

  /// Waits for room in `queue`, so that the work can be submitted again. Returns the refusal if there will be none.
  private func makeRoom(for entry: Entry, on queue: TaskQueue) -> Admission? {
    guard let refusal = makeRoom(on: queue) else { return nil }
    withState { $0.refuseForWantOfRoom(refusal, entry) }
    return .refused(refusal)
  }
}
