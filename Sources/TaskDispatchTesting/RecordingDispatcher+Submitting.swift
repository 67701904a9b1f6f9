public import TaskDispatch

extension RecordingDispatcher {
  public func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    let work = Entry.Work.plain(body)
    while true {
      let (admission, next) = withState { state in
        state.admit(
          work, on: queue.lane, state.view(queue.view),
          isBarrier: queue.isBarrier && queue.lane == .background, site: site)
      }
      if case .nothing = next { return admission }
      guard let admission = carryOn(next, admission, work, queue.lane, queue.view, site) else {
        continue
      }
      return admission
    }
  }

  @discardableResult
  public func submit(_ item: WorkItem) -> Admission {
    while true {
      let (admission, next) = withState { $0.admit(item, mayWaitForRoom: false) }
      guard
        let admission = carryOn(next, admission, .item(item), item.lane, item.view, item.site)
      else { continue }
      return admission
    }
  }

  public func submitWhenRoom(_ item: WorkItem) {
    let (admission, next) = withState { $0.admit(item, mayWaitForRoom: true) }
    _ = carryOn(next, admission, .item(item), item.lane, item.view, item.site)
  }

  public func release(_ item: WorkItem) {
    let isIn = withState { $0.release(item) }
    if isIn { runAutomatically() }
  }

  public func cancel(_ item: WorkItem) -> Cancellation {
    let answer = withState { $0.cancel(item) }
    settleShutdown()
    return answer
  }

  public func suspend(_ queue: TaskQueue) {
    withState { state in
      if state.configuration.policy == .unimplemented {
        state.noteUnexpectedUse(CallSite(fileID: "suspend()", line: 0))
      }
      let time = state.now
      state.pool.suspend(state.poolView(state.view(queue.view)), now: { time })
    }
  }

  public func resume(_ queue: TaskQueue) {
    withState { state in
      let time = state.now
      let view = state.poolView(state.view(queue.view))
      require(
        view.queue.isSuspended, "\(queue.label) was resumed more often than it was suspended")
      state.pool.resume(view, now: { time })
      state.handOutGrants()
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
          state.later(wake)
        } else {
          state.flushes.append(State.Flush(remaining: ids, wake: wake))
        }
      }
    }
  }

  /// What a submission does once the lock is free. Nil if it has to be tried again.
  private func carryOn(
    _ next: State.Next, _ admission: Admission, _ work: Entry.Work, _ lane: Lane,
    _ view: QueueView?, _ site: CallSite
  ) -> Admission? {
    switch next {
    case .nothing: break
    case .perform(let body):
      perform(body)
      // The jobs of Tasks that it started cannot run inside it.
      runAutomatically()
    case .runAutomatically: runAutomatically()
    case .makeRoom:
      let queue = TaskQueue(dispatcher: self, view: view, lane: lane)
      guard let refusal = makeRoom(on: queue) else { return nil }
      withState { $0.refuseForWantOfRoom(refusal, work, on: lane, $0.view(view), at: site) }
      return .refused(refusal)
    }
    return admission
  }
}
