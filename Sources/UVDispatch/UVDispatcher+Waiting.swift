public import TaskDispatch

extension UVDispatcher {
  public func sync(
    on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) throws(WaitRefusal) {
    if ForkGuard.isForked { throw .refused(.forkedChild) }
    let caller = currentTask
    let refusal: WaitRefusal?
    if queue.lane == .foreground {
      // The loop's thread runs the body.
      refusal = withoutActuallyEscaping(body) { body in
        let standing = SyncCaller(body)
        defer { standing.body = nil }
        return sync(.caller(standing), on: queue, at: site, caller, body)
      }
    } else {
      refusal = sync(.caller(nil), on: queue, at: site, caller, body)
    }
    if let refusal { throw refusal }
  }

  private func sync(
    _ work: consuming QueuedTask.Work, on queue: TaskQueue, at site: CallSite,
    _ caller: QueuedTask?, _ body: () -> Void
  ) -> WaitRefusal? {
    let identity = queue.identity
    let isOnStack = caller != nil && TaskFrame.first { $0.queue == identity } != nil
    let core = lock()
    defer { unlock() }
    if !isOnStack, queue.lane == .background,
      let frame = core.enterAtOnce(
        view(queue.view), asBarrier: queue.isBarrier, at: site, parent: caller?.id)
    {
      caller?.beginWait(for: frame)
      unlockUnchanged()
      perform(body, in: frame)
      caller?.endWait()
      core.leave(consume frame)
      return nil
    }
    // The task alone holds the view: to count it once more is not free.
    let task = core.makeTask(
      work, on: queue.lane, view(queue.view), isBarrier: queue.isBarrier, site: site,
      parent: caller?.id)
    if let refusal = core.refusal(isTimer: false, isFromOwnWork: caller != nil) {
      core.refuse(task, refusal)
      return .refused(refusal)
    }
    if isOnStack || queue.lane == .foreground && core.isInCallbackOfLoop {
      core.refuse(task, .wouldDeadlock)
      return deadlock("its turn on \(queue.label)")
    }
    core.accept(task)
    core.enqueue(task)
    let isAwaited = beginWaiting(caller, for: task, mayTimeOut: false)
    let refusal = waitForTurn(task, caller, isAwaited: isAwaited, queue, body)
    endWaiting(caller)
    core.reuse(consume task)
    return refusal
  }

  /// Waits under the lock until the loop has run the body of `task`, or runs it here.
  private func waitForTurn(
    _ task: QueuedTask, _ caller: QueuedTask?, isAwaited: Bool, _ queue: TaskQueue,
    _ body: () -> Void
  ) -> WaitRefusal? {
    let core = lockedCore
    // Whatever comes into its queue or leaves it.
    let mayHelp = caller?.lane == .background && queue.lane == .background
    while !task.hasRun {
      if task.isTurnedAway { return .refused(.shutDown) }
      if task.isGranted {
        core.blocked.admitted -= 1
        core.begin(task)
        unlock()
        perform(body, as: task, core)
      } else if mayHelp, let next = core.startToHelp(task.view) {
        task.helped = next
        if task.isGranted { core.blocked.admittedWhileHelping += 1 }
        run(next, core, hidesOuter: true)
        task.helped = nil
        tellIfDue(core, isWorker: false)
        if task.isGranted { core.blocked.admittedWhileHelping -= 1 }
        // It may have to wait again in this section, and others for what has ended.
        core.blocked.mustCheck = true
      } else if isAwaited, core.isStuck(task), core.takeBack(task) {
        // Had the loop begun with its body, somebody in there waits, and is told instead.
        core.endUnstarted(task, .cancelled)
        return deadlock("its turn on \(queue.label)", core.links(from: task))
      } else {
        park(looksAtAll: mayHelp)
      }
    }
    return nil
  }

  /// Runs the body of a caller whose turn has come, takes the lock, and ends its task.
  private func perform(_ body: () -> Void, as task: QueuedTask, _ core: Core) {
    perform(body, in: task)
    core.finish(task, .completed)
  }

  /// Runs the body of a caller, and takes the lock.
  @inline(__always) private func perform(_ body: () -> Void, in frame: QueuedTask) {
    frame.enter(by: self)
    body()
    frame.leave()
    lock()
  }

  public func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    if ForkGuard.isForked {
      if Self.hasComeAbout(target) { return }
      throw .refused(.forkedChild)
    }
    let caller = currentTask
    let hasComeAbout: () -> Bool
    switch target {
    case .item(let item):
      if item.outcome != nil { return }
      hasComeAbout = { item.outcome != nil }
    case .group(let group):
      guard let time = group.whenEmpty(tell: monitor) else { return }
      hasComeAbout = { group.hasEmptied(since: time) }
    }
    let refusal = withCore { core -> WaitRefusal? in
      if case .item(let item) = target { item.noteAwaited() }
      let end = timeout.map { core.instant.advanced(by: $0) }
      let isAwaited = beginWaiting(caller, for: core.task(of: target), mayTimeOut: end != nil)
      defer { endWaiting(caller) }
      while !hasComeAbout() {
        if let end, core.instant >= end { return .timedOut }
        if isAwaited, core.isStuck(waitingFor: target) {
          return deadlock(
            name(of: target), core.task(of: target).map { core.links(from: $0) } ?? [])
        }
        park(until: end)
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  private static func hasComeAbout(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): item.outcome != nil
    case .group(let group): group.count == 0
    }
  }

  private func name(of target: WaitTarget) -> String {
    switch target {
    case .item(let item): item.name
    case .group: "a group"
    }
  }

  /// - Parameter others: Those who wait elsewhere: the first of them for what `what` needs.
  private func deadlock(_ what: String, _ others: [WaitLink] = []) -> WaitRefusal {
    var links = TaskFrame.stack.enumerated().map { depth, frame in
      WaitLink(
        waiter: frame.name, waiterQueue: frame.queueLabel,
        waitsFor: depth == 0 ? what : "what it runs meanwhile, which is the link before")
    }
    links += others.filter { !links.contains($0) }
    let here = WaitLink(waiter: "this thread", waiterQueue: nil, waitsFor: what)
    return .wouldDeadlock(chain: links.isEmpty ? [here] : links)
  }
}
