public import TaskDispatch

extension RecordingDispatcher {
  /// Runs what must precede `body` in the order of `queue`, then `body`, all on this thread.
  ///
  /// What precedes is run as free workers would run it. Where no worker is free, a worker that waits here runs it
  /// itself, as on threads.
  public func sync(
    on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) throws(WaitRefusal) {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    try letOthersSubmitFirst()
    // Somebody else may have to run it, who stands on top of this call.
    let refusal: WaitRefusal? = withoutActuallyEscaping(body) { body in
      let caller = SyncCaller(body, in: withState { $0.bodyOfThisThread })
      defer { caller.dropBody() }
      do throws(WaitRefusal) {
        let inline = try withState { state throws(WaitRefusal) in
          try state.admitCaller(caller, on: queue, site: site)
        }
        if let inline { perform(inline) } else { try waitForTurn(caller, on: queue) }
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw refusal }
  }

  /// On threads, others may take their place in a queue before whoever is about to.
  private func letOthersSubmitFirst() throws(WaitRefusal) {
    guard let call = withState({ $0.beginCall("before sync") }) else { return }
    let standing = makeStanding(for: .courtesy)
    try standStill(standing) { () throws(WaitRefusal) in _ = othersRun(before: call, standing) }
  }

  private func waitForTurn(_ caller: SyncCaller, on queue: TaskQueue) throws(WaitRefusal) {
    let call = withState { $0.beginCall("sync") }
    do throws(WaitRefusal) {
      let standing = makeStanding(for: .turn(caller))
      try standStill(standing) { () throws(WaitRefusal) in
        while true {
          _ = othersRun(before: call, standing, of: caller)
          if caller.hasRun { break }
          try check(standing)
          switch withState({ $0.nextForSync(caller, queue, standing) }) {
          case .perform(let next): performOnTop(next, standing)
          case .stuck(let refusal): throw refusal
          }
        }
        withState { $0.bodyOfThisThread?.wait = nil }
        let end = withState { $0.beginCall("end of sync") }
        _ = othersRun(before: end, standing)
      }
    } catch {
      // Nothing is left in any queue, whoever refused.
      withState { state in
        state.withdraw(caller, queue)
        if !caller.isTurnedAway { state.decisions?.noteDeadlock(error) }
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
    let standing = makeStanding(for: .target(target))
    try standStill(standing) { () throws(WaitRefusal) in
      withState { $0.bodyOfThisThread?.wait = Wait(for: target, mayTimeOut: end != nil) }
      defer { withState { $0.bodyOfThisThread?.wait = nil } }
      while true {
        let isInTime = othersRun(before: call, standing, orUntil: end) {
          $0.hasComeAbout(target)
        }
        if withState({ $0.hasComeAbout(target) }) {
          if end != nil { withState { $0.decisions?.waited(isInTime: true) } }
          return
        }
        guard isInTime else { throw timedOut() }
        try check(standing)
        if let next = withState({ $0.nextForWait(target) ?? $0.nextForOthers(than: standing) }) {
          performOnTop(next, standing)
          continue
        }
        let refusal = withState { state in
          guard let refusal = state.refusalIfOthersCanGoOn(than: standing, target.description)
          else { return state.refusalToWait(for: target) }
          // Its time may be over before they have.
          return end == nil ? refusal : nil
        }
        if let refusal {
          withState { $0.decisions?.noteDeadlock(refusal) }
          throw refusal
        }
        guard let end else {
          let refusal = WaitRefusal.nothingCanEndIt(withState { $0.whatIsMissing(for: target) })
          withState { $0.decisions?.noteDeadlock(refusal) }
          throw refusal
        }
        guard moveTime(until: end, standing) else { throw timedOut() }
      }
    }
  }

  private func timedOut() -> WaitRefusal {
    withState { $0.decisions?.waited(isInTime: false) }
    return .timedOut
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
      let standing = makeStanding(for: .room(queue.lane, withState { $0.view(queue.view) }))
      try standStill(standing) { () throws(WaitRefusal) in
        func hasRoom(_ state: inout State) -> Bool { state.canGoOn(standing) }
        while true {
          let isInTime = othersRun(before: call, standing, orUntil: end, unless: hasRoom)
          if withState(hasRoom) { return }
          guard isInTime else { throw .timedOut }
          try check(standing)
          if let next = withState({ $0.nextForRoom(queue) ?? $0.nextForOthers(than: standing) }) {
            performOnTop(next, standing)
            continue
          }
          if end == nil {
            withState { $0.noteIfOthersCanGoOn(than: standing, "room on \(queue.label)") }
          }
          guard let end, moveTime(until: end, standing) else { throw .timedOut }
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
  ///   - standing: The call. What runs counts against its step limit; at the limit, nothing more runs.
  ///   - caller: Who stands in `sync`: nobody runs before it once its body has run.
  ///   - end: When the time-out is over, unless `isOver` by then.
  ///   - isOver: Whether what is waited for has come about.
  /// - Returns: False if the time-out came first.
  private func othersRun(
    before call: Entry?, _ standing: Standing, of caller: SyncCaller? = nil,
    orUntil end: DispatcherInstant? = nil,
    unless isOver: (inout State) -> Bool = { _ in false }
  ) -> Bool {
    guard call != nil else { return true }
    while caller?.hasRun != true, caller?.isTurnedAway != true, standing.budget.spent == nil {
      let choice = withState {
        $0.meanwhile(call, of: caller, timeOut: end == nil || isOver(&$0) ? nil : end)
      }
      switch choice {
      case .body(let other): performOnTop(other, standing)
      case .timeOut:
        while let end, moveTime(until: end, standing) {}
        return false
      case .nothing: return true
      }
    }
    return true
  }

  /// Performs a body on top of a call that waits. It may have begun a shutdown that leaves no time, or that has
  /// nothing left to do.
  private func performOnTop(_ next: Entry, _ standing: Standing) {
    standing.budget.count(next)
    perform(next)
    withState { state in
      if state.shutdownMayGoOn { state.advanceShutdown() }
    }
  }

  private func makeStanding(for reason: Standing.Reason) -> Standing {
    withState { $0.makeStanding(for: reason, limit: configuration.stepLimit) }
  }

  /// Throws if as many bodies have run on top of the call, or of one that it is in, as may run there; or if the
  /// thread has no room for another.
  private func check(_ standing: Standing) throws(WaitRefusal) {
    let refusal: WaitRefusal
    if let spent = standing.budget.spent {
      refusal = .nothingCanEndIt(spent.error.description)
    } else if standing.depth >= Self.depthToLookAt,
      ThreadStack.isNearlyUsedUp ?? (standing.depth >= Self.mostUnknown)
    {
      refusal = .nothingCanEndIt(
        """
        gave up after \(standing.depth) calls that wait, each in a body or a callback that ran during the one before: \
        the stack of this thread is nearly used up. Wait for less at a time, or in a test with threads.
        """)
    } else {
      return
    }
    withState { $0.decisions?.noteDeadlock(refusal) }
    throw refusal
  }

  /// From how many calls on that stand still inside each other the stack is looked at.
  private static var depthToLookAt: Int { 16 }
  /// How many may, where it cannot be known how much of the stack is left: beside a sanitizer.
  private static var mostUnknown: Int { 100 }

  /// Makes this the stepping thread while it stands still, unless it is that already.
  private func standStill(
    _ standing: Standing, _ body: () throws(WaitRefusal) -> Void
  ) throws(WaitRefusal) {
    let isOutermost = try withState { state throws(WaitRefusal) -> Bool in
      // In a callback after the end of a body this is the stepping thread, and in none.
      let isOutermost = state.bodyOfThisThread == nil && !state.isStepper
      guard !isOutermost || !state.isStepping else {
        throw .nothingCanEndIt(
          "this dispatcher is being stepped on another thread; wait there, or step from here")
      }
      if isOutermost { state.isStepping = true }
      state.standing.append(standing)
      return isOutermost
    }
    defer {
      withState { state in
        // Not the last if bodies that run in their submission wait on several threads.
        state.standing.removeAll { $0 === standing }
      }
      if isOutermost { endStepping() }
    }
    try body()
  }

  /// Moves time to the next deadline for somebody who waits. False if their time-out comes first.
  private func moveTime(until end: DispatcherInstant, _ standing: Standing) -> Bool {
    withState { state in
      // While a foreground body waits, the loop serves no timer.
      let next = state.foregroundIsBusy ? nil : state.nextDeadlineInstant
      // A body that ran meanwhile may have taken longer than the time-out.
      guard end.nanoseconds > state.now else { return false }
      do throws(StepError) { try state.move(to: min(next ?? end, end)) } catch {
        refuse("time went back while somebody waited: \(error)")
      }
      standing.budget.timeHasMoved()
      state.advanceShutdown()
      return next.map { $0 <= end } ?? false
    }
  }
}

extension WaitTarget: CustomStringConvertible {
  public var description: String {
    switch self {
    case .item(let item): item.name
    case .group(let group, _): "a group with \(group.count) left in it"
    }
  }
}
