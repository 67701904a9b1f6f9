public import TaskDispatch

extension RecordingDispatcher {
  public func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    let frame = TaskFrame.current
    let work = Entry.Work.plain(body)
    while true {
      let (admission, next) = withState { state in
        state.admit(
          work, on: queue.lane, state.view(queue.view),
          isBarrier: queue.isBarrier && queue.lane == .background, site: site, frame: frame)
      }
      guard let admission = carryOn(next, admission, queue) else { continue }
      return admission
    }
  }

  @discardableResult
  public func submit(_ item: WorkItem) -> Admission {
    let frame = TaskFrame.current
    while true {
      let (admission, next) = withState { state in
        state.admit(item, frame: frame, mayWaitForRoom: false)
      }
      let queue = TaskQueue(dispatcher: self, view: item.view, lane: item.lane)
      guard let admission = carryOn(next, admission, queue, item) else { continue }
      return admission
    }
  }

  public func submitWhenRoom(_ item: WorkItem) {
    let frame = TaskFrame.current
    let (admission, next) = withState { state in
      state.admit(item, frame: frame, mayWaitForRoom: true)
    }
    _ = carryOn(
      next, admission, TaskQueue(dispatcher: self, view: item.view, lane: item.lane), item)
  }

  public func release(_ item: WorkItem) {
    let isIn = withState { state -> Bool in
      guard item.place.stage == .held, state.held.contains(where: { $0 === item }) else {
        return false
      }
      state.held.removeAll { $0 === item }
      state.letIn(item)
      return true
    }
    if isIn, configuration.policy != .manual { runAutomatically() }
  }

  public func cancel(_ item: WorkItem) -> Cancellation {
    let answer = withState { $0.cancel(item) }
    settleShutdown()
    return answer
  }

  public func suspend(_ queue: TaskQueue) {
    withState { state in
      let time = state.now
      state.pool.suspend(state.poolView(state.view(queue.view)), now: { time })
    }
  }

  public func resume(_ queue: TaskQueue) {
    withState { state in
      let time = state.now
      state.pool.resume(state.poolView(state.view(queue.view)), now: { time })
      state.handOutGrants()
    }
    if configuration.policy != .manual { runAutomatically() }
  }

  nonisolated(nonsending) public func flush(_ queue: TaskQueue) async {
    await withCheckedContinuation { continuation in
      withState { state in
        let ids = state.unfinished(on: queue.identity)
        let wake: @Sendable () -> Void = { continuation.resume() }
        if ids.isEmpty {
          state.later(wake)
        } else {
          state.flushes.append(
            State.Flush(queue: queue.identity, remaining: ids, wake: wake))
        }
      }
    }
  }

  /// What a submission does once the lock is free. Nil if it has to be tried again.
  private func carryOn(
    _ next: State.Next, _ admission: Admission, _ queue: TaskQueue, _ item: WorkItem? = nil
  ) -> Admission? {
    switch next {
    case .nothing: break
    case .perform(let body): perform(body)
    case .runAutomatically: runAutomatically()
    case .makeRoom:
      guard let refusal = makeRoom(on: queue) else { return nil }
      withState { state in
        state.ledger.refused += 1
        if let item { state.end(item, .refused(refusal)) }
      }
      return .refused(refusal)
    }
    return admission
  }
}
