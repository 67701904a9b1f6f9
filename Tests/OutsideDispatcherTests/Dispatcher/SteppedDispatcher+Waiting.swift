import TaskDispatch

/// Calls that wait. The waiting thread runs what it waits for, on top of the code that waits.
extension SteppedDispatcher {
  func sync(
    on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) throws(WaitRefusal) {
    let view = view(queue.view)
    let refusal: WaitRefusal? = withoutActuallyEscaping(body) { body in
      let call = CallOfSync(body)
      let item = WorkItem.make(kind: .job, queue: queue, label: nil, site: site) { call.body?() }
      defer { call.body = nil }
      guard let taken = item.take() else { fatalError("a new item was taken before") }
      return wait(forTurnOf: taken, on: queue, view)
    }
    if let refusal { throw refusal }
  }

  /// Waits until a caller of `sync` has its turn, and runs its body.
  ///
  /// - Returns: The refusal, if the body has not run and will not run.
  private func wait(
    forTurnOf taken: TakenItem, on queue: TaskQueue, _ view: SteppedView?
  ) -> WaitRefusal? {
    // A task of the queue that is on this thread would wait for itself.
    let waitsForItself = TaskContext.isRunning(queue.identity)
    let (caller, refusal) = withState { state -> (SteppedTask, Refusal?) in
      let caller = state.makeTask(taken, .caller, on: queue.lane, view)
      if let refusal = state.refusal(of: taken.item) ?? (waitsForItself ? .wouldDeadlock : nil) {
        state.refuse(caller, refusal)
        return (caller, refusal)
      }
      state.accept(caller)
      state.line(up: caller)
      return (caller, nil)
    }
    if refusal == .wouldDeadlock { return deadlock("its turn on \(queue)") }
    if let refusal { return .refused(refusal) }
    while !withState({ $0.begin(caller: caller) }) {
      if taken.item.outcome != nil { return .refused(.shutDown) }
      if step(wanted: { $0.line === caller.line }) { continue }
      if taken.item.outcome != nil { return .refused(.shutDown) }
      // Nothing is left that could let it have its turn.
      _ = cancel(taken.item)
      return deadlock("its turn on \(queue)")
    }
    // A body of the foreground runs on the loop's thread, and other bodies on the thread of the caller.
    perform(caller, hidesOuter: queue.lane == .foreground)
    return nil
  }

  func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    let end = timeout.map { now.advanced(by: max(.zero, $0)) }
    while !hasComeAbout(target) {
      // A task on this stack cannot end before this wait does.
      if withState({ $0.stack.contains { $0.ends(target) } }) {
        throw deadlock(name(of: target))
      }
      if step(wanted: { $0.ends(target) }) { continue }
      if hasComeAbout(target) { return }
      guard let end else { throw deadlock(name(of: target)) }
      if now >= end { throw .timedOut }
      advance(until: end)
    }
  }

  private func hasComeAbout(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): item.outcome != nil
    case .group(let group, let time): group.count == 0 || group.hasEmptied(since: time)
    }
  }

  /// Runs tasks until a queue has room.
  ///
  /// - Returns: Why there is none. Nil if there is room, or if the configuration does not say that callers wait.
  func makeRoom(for item: WorkItem, _ view: SteppedView?) -> Refusal? {
    let line = view?.line ?? withState { $0.line(of: item.lane) }
    guard case .blockCaller(_, let timeout) = line.overflow else { return nil }
    let end = timeout.map { now.advanced(by: max(.zero, $0)) }
    func isFull() -> Bool {
      withState { state in
        state.refusal(of: item) == nil && line.isFull
      }
    }
    while isFull() {
      if step(wanted: { $0.queue.lane == item.lane && $0.line.view === view }) { continue }
      guard let end else { return .wouldDeadlock }
      if now >= end { return .noRoomInTime }
      advance(until: end)
    }
    return nil
  }

  private func deadlock(_ target: String) -> WaitRefusal {
    let waiter = TaskContext.current
    return .wouldDeadlock(chain: [
      WaitLink(
        waiter: waiter?.name ?? "this thread", waiterQueue: waiter?.queueLabel, waitsFor: target)
    ])
  }

  private func name(of target: WaitTarget) -> String {
    switch target {
    case .item(let item): item.name
    case .group(let group, _): "a group with \(group.count) left in it"
    }
  }
}

/// The body of a `sync`, until the call returns. Only the thread of the call touches it.
private final class CallOfSync: @unchecked Sendable {
  var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }
}
