public import TaskDispatch

extension RecordingDispatcher {
  /// Runs what must precede `body` in the order of `queue`, then `body`, all on this thread.
  ///
  /// From a task on a worker, what precedes is run as that worker would while it waits; from the
  /// test and from the foreground, as free workers would.
  public func sync(
    on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) throws(WaitRefusal) {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    let caller = SyncCaller()
    let inline = try withState { state throws(WaitRefusal) in
      try state.admitCaller(caller, on: queue, site: site)
    }
    if let inline {
      perform(inline, asCaller: body)
      return
    }
    let call = withState { $0.beginCall("sync") }
    do throws(WaitRefusal) {
      try standStill { () throws(WaitRefusal) in
        while true {
          _ = othersRun(before: call)
          switch withState({ $0.nextForSync(caller, queue) }) {
          case .granted(let task):
            perform(task, asCaller: body)
            withState { $0.bodyOfThisThread?.wait = nil }
            let end = withState { $0.beginCall("end of sync") }
            _ = othersRun(before: end)
            return
          case .perform(let next): perform(next)
          case .stuck(let refusal): throw refusal
          }
        }
      }
    } catch {
      // Nothing is left in any queue, whoever refused.
      withState { state in
        state.withdraw(caller, queue)
        state.decisions?.noteDeadlock(error)
      }
      throw error
    }
  }

  /// Runs what this dispatcher can run until `target` has come about.
  ///
  /// Time moves only if there is a time-out, and not beyond it.
  public func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    let end = timeout.map { now.advanced(by: max(.zero, $0)) }
    if withState({ $0.hasComeAbout(target) }) { return }
    let call = withState { $0.beginCall("wait") }
    try standStill { () throws(WaitRefusal) in
      withState { $0.bodyOfThisThread?.wait = Wait(for: target.description) }
      defer { withState { $0.bodyOfThisThread?.wait = nil } }
      while true {
        let isInTime = othersRun(before: call, orUntil: end) { $0.hasComeAbout(target) }
        if withState({ $0.hasComeAbout(target) }) { return }
        guard isInTime else { throw .timedOut }
        if let next = withState({ $0.nextForWait(target) }) {
          perform(next)
          continue
        }
        if let refusal = withState({ $0.refusalToWait(for: target) }) {
          withState { $0.decisions?.noteDeadlock(refusal) }
          throw refusal
        }
        guard let end else {
          let refusal = WaitRefusal.nothingCanEndIt(withState { $0.whatIsMissing(for: target) })
          withState { $0.decisions?.noteDeadlock(refusal) }
          throw refusal
        }
        guard moveTime(until: end) else { throw .timedOut }
      }
    }
  }

  /// Lets the caller of a submission stand still until `queue` has room.
  ///
  /// - Returns: Nil if there is room now, else why there never will be.
  func makeRoom(on queue: TaskQueue) -> Refusal? {
    guard case .blockCaller(_, let timeout) = configuration.overflow else {
      refuse("only a blocking limit makes room")
    }
    let end = timeout.map { now.advanced(by: max(.zero, $0)) }
    let call = withState { $0.beginCall("room") }
    do {
      try standStill { () throws(WaitRefusal) in
        func hasRoom(_ state: inout State) -> Bool {
          !state.isFull(queue.lane, state.view(queue.view))
        }
        while true {
          let isInTime = othersRun(before: call, orUntil: end, unless: hasRoom)
          if withState(hasRoom) { return }
          guard isInTime else { throw .timedOut }
          if let next = withState({ $0.nextForRoom(queue) }) {
            perform(next)
            continue
          }
          guard let end, moveTime(until: end) else { throw .timedOut }
        }
      }
      return nil
    } catch {
      return timeout == nil ? .wouldDeadlock : .noRoomInTime
    }
  }

  /// Runs what an exploration lets run before whoever stands in `call` goes on: on other threads,
  /// whatever may run does so meanwhile.
  ///
  /// - Parameters:
  ///   - end: When the time-out is over, unless `isOver` by then.
  ///   - isOver: Whether what is waited for has come about.
  /// - Returns: False if the time-out came first.
  private func othersRun(
    before call: Entry?, orUntil end: DispatcherInstant? = nil,
    unless isOver: (inout State) -> Bool = { _ in false }
  ) -> Bool {
    guard call != nil else { return true }
    while true {
      switch withState({ $0.meanwhile(call, timeOut: end == nil || isOver(&$0) ? nil : end) }) {
      case .body(let other): perform(other)
      case .timeOut:
        while let end, moveTime(until: end) {}
        return false
      case .nothing: return true
      }
    }
  }

  /// Makes this the stepping thread while it stands still, unless it is that already.
  private func standStill(
    _ body: () throws(WaitRefusal) -> Void
  ) throws(WaitRefusal) {
    let isOutermost = try withState { state throws(WaitRefusal) -> Bool in
      if state.bodyOfThisThread != nil { return false }
      guard !state.isStepping else {
        throw .nothingCanEndIt(
          "this dispatcher is being stepped on another thread; wait there, or step from here")
      }
      state.isStepping = true
      return true
    }
    defer { if isOutermost { endStepping() } }
    try body()
  }

  /// Moves time to the next deadline for somebody who waits. False if their time-out comes first.
  private func moveTime(until end: DispatcherInstant) -> Bool {
    withState { state in
      // While a foreground body waits, the loop serves no timer.
      let next = state.foregroundIsBusy ? nil : state.nextDeadlineInstant
      // A body that ran meanwhile may have taken longer than the time-out.
      guard end.nanoseconds > state.now else { return false }
      do throws(StepError) { try state.move(to: min(next ?? end, end)) } catch {
        refuse("time went back while somebody waited: \(error)")
      }
      state.advanceShutdown()
      return next.map { $0 <= end } ?? false
    }
  }
}

extension WaitTarget: CustomStringConvertible {
  public var description: String {
    switch self {
    case .item(let item): item.name
    case .group(let group): "a group with \(group.count) left in it"
    }
  }
}
