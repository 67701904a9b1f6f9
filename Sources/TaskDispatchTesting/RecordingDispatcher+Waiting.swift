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
    let frame = TaskFrame.current
    let caller = SyncCaller()
    let inline = try withState { state throws(WaitRefusal) in
      try state.admitCaller(caller, on: queue, site: site, frame: frame)
    }
    if let inline {
      runSync(inline, body)
      return
    }
    try standStill(frame) { () throws(WaitRefusal) in
      while true {
        switch withState({ $0.nextForSync(caller, queue, frame) }) {
        case .granted(let task):
          runSync(task, body)
          return
        case .perform(let next): perform(next)
        case .stuck(let refusal):
          withState { $0.withdraw(caller, queue, refusal) }
          throw refusal
        }
      }
    }
  }

  /// Runs what this dispatcher can run until `target` has come about.
  ///
  /// Time moves only if there is a time-out, and not beyond it.
  public func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    let frame = TaskFrame.current
    let end = timeout.map { now.advanced(by: max(.zero, $0)) }
    if withState({ $0.hasComeAbout(target) }) { return }
    try standStill(frame) { () throws(WaitRefusal) in
      withState { $0.setWaitsFor(target.description, nil, frame) }
      defer { withState { $0.setWaitsFor(nil, nil, frame) } }
      while !withState({ $0.hasComeAbout(target) }) {
        if let next = withState({ $0.nextForWait(target, frame) }) {
          perform(next)
        } else if try !moveTime(until: end, target, frame) {
          throw .timedOut
        }
      }
    }
  }

  /// Lets the caller of a submission stand still until `queue` has room.
  ///
  /// - Returns: Nil if there is room now, else why there never will be.
  func makeRoom(on queue: TaskQueue) -> Refusal? {
    let frame = TaskFrame.current
    guard case .blockCaller(_, let timeout) = configuration.overflow else {
      refuse("only a blocking limit makes room")
    }
    do {
      try standStill(frame) { () throws(WaitRefusal) in
        while withState({ $0.isFull(queue.lane, $0.view(queue.view)) }) {
          let next = withState { $0.nextForRoom(queue, frame) }
          guard let next else { throw .timedOut }
          perform(next)
        }
      }
      return nil
    } catch {
      return timeout == nil ? .wouldDeadlock : .noRoomInTime
    }
  }

  /// Makes this the stepping thread while it stands still, unless it is that already.
  private func standStill(
    _ frame: TaskFrame?, _ body: () throws(WaitRefusal) -> Void
  ) throws(WaitRefusal) {
    let isOutermost = try withState { state throws(WaitRefusal) -> Bool in
      if state.runningIndex(frame) != nil { return false }
      guard !state.isStepping else {
        throw .nothingCanEndIt(
          "this dispatcher is being stepped on another thread; wait there, or step from here")
      }
      state.isStepping = true
      return true
    }
    defer {
      if isOutermost {
        endStepping()
        if configuration.policy != .manual { runAutomatically() }
      }
    }
    try body()
  }

  private func runSync(_ task: Body, _ body: () -> Void) {
    task.run {
      body()
      withState { $0.finish(task, .completed) }
    }
  }

  /// Moves time to the next deadline for somebody who waits. False if the time-out comes first.
  private func moveTime(
    until end: DispatcherInstant?, _ target: WaitTarget, _ frame: TaskFrame?
  ) throws(WaitRefusal) -> Bool {
    try withState { state throws(WaitRefusal) in
      if let refusal = state.refusalToWait(for: target, frame) { throw refusal }
      guard let end else { throw .nothingCanEndIt(state.whatIsMissing(for: target)) }
      let next = state.foregroundIsBusy ? nil : state.nextDeadlineInstant
      let stop = min(next ?? end, end)
      do throws(StepError) { try state.move(to: stop) } catch {
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
