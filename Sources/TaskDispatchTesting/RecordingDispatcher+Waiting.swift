public import TaskDispatch

extension RecordingDispatcher {
  /// Runs the tasks that must precede `body` in the order of `queue`, then `body`, all on this thread.
  ///
  /// Those tasks run as free workers would run them. If no worker is free, a worker that calls this runs them itself,
  /// as it does on threads. If none of them can run, any other task runs that can: it may resume the queue.
  ///
  /// - Throws: ``WaitRefusal``, if `body` has not run and will not. Nothing is left in the queue then.
  public func sync(
    on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) throws(WaitRefusal) {
    require(queue.dispatcher === self, "\(queue) belongs to another dispatcher")
    try letOthersSubmitFirst()
    // Another blocked call, on top of this one, may have to run the body.
    let refusal: WaitRefusal? = withoutActuallyEscaping(body) { body in
      let caller = SyncCaller(body, in: withState { $0.bodyOfThisThread })
      defer { caller.dropBody() }
      do throws(WaitRefusal) {
        let inline = try withState { state throws(WaitRefusal) in
          try state.admitCaller(caller, on: queue, site: site)
        }
        if let inline { perform(inline) } else { try waitForAdmission(caller, on: queue) }
        return nil
      } catch {
        return error
      }
    }
    if let refusal { throw refusal }
  }

  /// Lets an exploration run other tasks before this call takes its place in a queue. On threads they could do so.
  private func letOthersSubmitFirst() throws(WaitRefusal) {
    guard let call = withState({ $0.beginCall("before sync") }) else { return }
    let waiting = makeWaitingCall(for: .courtesy)
    try block(waiting) { () throws(WaitRefusal) in _ = othersRun(before: call, waiting) }
  }

  private func waitForAdmission(_ caller: SyncCaller, on queue: TaskQueue) throws(WaitRefusal) {
    let call = withState { $0.beginCall("sync") }
    do throws(WaitRefusal) {
      let waiting = makeWaitingCall(for: .admission(caller))
      try block(waiting) { () throws(WaitRefusal) in
        while true {
          _ = othersRun(before: call, waiting, of: caller)
          if caller.hasRun { break }
          try check(waiting)
          switch withState({ $0.nextForSync(caller, queue, waiting) }) {
          case .perform(let next): performOnTop(next, waiting)
          case .stuck(let refusal): throw refusal
          }
        }
        withState { $0.bodyOfThisThread?.wait = nil }
        let end = withState { $0.beginCall("end of sync") }
        _ = othersRun(before: end, waiting)
      }
    } catch {
      // Whatever the reason for the refusal, nothing is left in any queue.
      withState { state in
        state.withdraw(caller, queue)
        if !caller.isRejected { state.decisions?.noteDeadlock(error) }
      }
      throw error
    }
  }

  /// Runs what this dispatcher can run until `target` has come about.
  ///
  /// Time moves only if there is a time-out, and not beyond that.
  ///
  /// - Throws: ``WaitRefusal``, if the time-out is over first, if nothing can bring `target` about, at the step limit,
  ///   or while another thread steps this dispatcher.
  public func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    let end = timeout.map { now.advanced(by: max(.zero, $0)) }
    let hasComeAbout = withState { state in
      if case .item(let item) = target { item.requireNotElsewhere(than: state.name) }
      return state.hasComeAbout(target)
    }
    if hasComeAbout { return }
    let call = withState { $0.beginCall("wait") }
    let waiting = makeWaitingCall(for: .target(target))
    try block(waiting) { () throws(WaitRefusal) in
      withState { $0.bodyOfThisThread?.wait = Wait(for: target, mayTimeOut: end != nil) }
      defer { withState { $0.bodyOfThisThread?.wait = nil } }
      while true {
        let isInTime = othersRun(before: call, waiting, orUntil: end) {
          $0.hasComeAbout(target)
        }
        if withState({ $0.hasComeAbout(target) }) {
          if end != nil { withState { $0.decisions?.waited(isInTime: true) } }
          return
        }
        guard isInTime else { throw timedOut() }
        try check(waiting)
        if let next = withState({ $0.nextForWait(target) ?? $0.nextForOthers(than: waiting) }) {
          performOnTop(next, waiting)
          continue
        }
        let refusal = withState { state in
          guard let refusal = state.refusalIfOthersCanGoOn(than: waiting, target.description)
          else { return state.refusalToWait(for: target) }
          // The time-out may be over before those calls have gone on.
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
        if !moveTime(until: end, waiting), !withState({ $0.hasComeAbout(target) }) {
          throw timedOut()
        }
      }
    }
  }

  private func timedOut() -> WaitRefusal {
    withState { $0.decisions?.waited(isInTime: false) }
    return .timedOut
  }

  /// Blocks the caller of a submission until `queue` has room.
  ///
  /// - Returns: Nil if there is room now, or else the refusal.
  func makeRoom(on queue: TaskQueue) -> Refusal? {
    let overflow = withState { $0.limit(of: queue.lane, $0.view(queue.view))?.overflow }
    guard case .blockCaller(_, let timeout) = overflow else {
      refuse("only a blocking limit makes room")
    }
    if let timeout, timeout <= .zero { return .noRoomInTime }
    let end = timeout.map { now.advanced(by: $0) }
    let call = withState { $0.beginCall("room") }
    let waiting = makeWaitingCall(for: .room(queue.lane, withState { $0.view(queue.view) }))
    do {
      try block(waiting) { () throws(WaitRefusal) in
        func hasRoom(_ state: inout State) -> Bool { state.canGoOn(waiting) }
        while true {
          let isInTime = othersRun(before: call, waiting, orUntil: end, unless: hasRoom)
          if withState(hasRoom) { return }
          guard isInTime else { throw .timedOut }
          try check(waiting)
          if let next = withState({ $0.nextForRoom(queue) ?? $0.nextForOthers(than: waiting) }) {
            performOnTop(next, waiting)
            continue
          }
          if end == nil {
            withState { $0.noteIfOthersCanGoOn(than: waiting, "room on \(queue.label)") }
          }
          guard let end, moveTime(until: end, waiting) else { throw .timedOut }
        }
      }
      withState { $0.endWaitForRoom(waiting, isRefused: false) }
      return nil
    } catch {
      withState { $0.endWaitForRoom(waiting, isRefused: true) }
      return timeout == nil ? .wouldDeadlock : .noRoomInTime
    }
  }

  /// Runs the tasks that an exploration lets run before the waiting call goes on. On threads they could run while it
  /// waits.
  ///
  /// Before that, a shutdown goes as far as it can.
  ///
  /// - Parameters:
  ///   - call: Stands for the waiting call among the moves. Nil without an exploration: then nothing runs.
  ///   - waiting: The waiting call. What runs counts against its step limit. At the limit, nothing more runs.
  ///   - caller: The blocked caller of `sync`, if it is one. Nothing runs before it once its body has run.
  ///   - end: When the time-out is over. Ignored once `isOver`.
  ///   - isOver: Whether the awaited thing has come about.
  private func othersRun(
    before call: Entry?, _ waiting: WaitingCall, of caller: SyncCaller? = nil,
    orUntil end: DispatcherInstant? = nil,
    unless isOver: (inout State) -> Bool = { _ in false }
  ) -> Bool {
    takeShutdownOn()
    guard call != nil else { return true }
    while caller?.hasRun != true, caller?.isRejected != true, waiting.budget.spent == nil {
      let choice = withState {
        $0.meanwhile(call, of: caller, timeOut: end == nil || isOver(&$0) ? nil : end)
      }
      switch choice {
      case .body(let other): performOnTop(other, waiting)
      case .timeOut:
        while let end, moveTime(until: end, waiting) {}
        return false
      case .nothing: return true
      }
    }
    return true
  }

  /// Performs a body on top of a waiting call.
  private func performOnTop(_ next: Entry, _ waiting: WaitingCall) {
    waiting.budget.count(next)
    perform(next)
    takeShutdownOn()
  }

  /// Takes a shutdown as far as it can go now. A body on this stack may have begun one that has no time left, or that
  /// has nothing left to do.
  private func takeShutdownOn() {
    withState { state in
      if state.shutdownMayGoOn { state.advanceShutdown() }
    }
  }

  private func makeWaitingCall(for reason: WaitingCall.Reason) -> WaitingCall {
    withState { $0.makeWaitingCall(for: reason, limit: configuration.stepLimit) }
  }

  /// Throws if the call, or a call around it, has run as many bodies as its limit allows. Throws as well if the stack
  /// of this thread has no room for another.
  private func check(_ waiting: WaitingCall) throws(WaitRefusal) {
    let refusal: WaitRefusal
    if let spent = waiting.budget.spent {
      refusal = .nothingCanEndIt(spent.error.description)
    } else if waiting.depth >= Self.depthToLookAt,
      ThreadStack.isNearlyUsedUp ?? (waiting.depth >= Self.mostUnknown)
    {
      refusal = .nothingCanEndIt(
        """
        gave up after \(waiting.depth) calls that wait, each in a body or a callback that ran during the one before: \
        the stack of this thread is nearly used up. Wait for less at a time, or in a test with threads.
        """)
    } else {
      return
    }
    withState { $0.decisions?.noteDeadlock(refusal) }
    throw refusal
  }

  /// The number of nested waiting calls from which on the stack is checked.
  private static var depthToLookAt: Int { 16 }
  /// The most nested waiting calls where the rest of the stack cannot be measured, as under a sanitizer.
  private static var mostUnknown: Int { 100 }

  /// Makes this thread the stepping thread while it waits, unless it is that already.
  private func block(
    _ waiting: WaitingCall, _ body: () throws(WaitRefusal) -> Void
  ) throws(WaitRefusal) {
    let isOutermost = try withState { state throws(WaitRefusal) -> Bool in
      // In a callback after the end of a body, this thread is the stepping thread and is in no body.
      let isOutermost = state.bodyOfThisThread == nil && !state.isStepper
      guard !isOutermost || !state.isStepping else {
        throw .nothingCanEndIt(
          "this dispatcher is being stepped on another thread; wait there, or step from here")
      }
      if isOutermost { state.isStepping = true }
      state.waitingCalls.append(waiting)
      return isOutermost
    }
    defer {
      withState { state in
        // It need not be the last: inline bodies may wait on several threads.
        state.waitingCalls.removeAll { $0 === waiting }
      }
      if isOutermost { endStepping() }
    }
    try body()
  }

  /// Moves time to the next deadline for a waiting call. Returns false if the call's time-out comes first.
  private func moveTime(until end: DispatcherInstant, _ waiting: WaitingCall) -> Bool {
    withState { state in
      // While a foreground body waits, the loop serves no timer. The deadlines of a shutdown need no loop.
      let next =
        state.foregroundIsBusy ? state.nextShutdownDeadline : state.nextDeadlineInstant
      // A body that ran on top of the call may have taken longer than the time-out.
      guard end.nanoseconds > state.now else { return false }
      do throws(StepError) { try state.move(to: min(next ?? end, end)) } catch {
        refuse("time went back while a call waited: \(error)")
      }
      waiting.budget.timeHasMoved()
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
