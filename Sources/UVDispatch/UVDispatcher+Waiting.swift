public import TaskDispatch

extension UVDispatcher {
  public func sync(
    on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) throws(WaitRefusal) {
    if ForkGuard.isForked { throw .refused(.forkedChild) }
    let refusal: WaitRefusal?
    if queue.lane == .foreground {
      // The loop's thread runs the body, while this thread is blocked.
      refusal = withoutActuallyEscaping(body) { body in
        let caller = SyncCaller(body)
        defer { caller.body = nil }
        return engine.sync(.caller(caller), on: queue, at: site, body)
      }
    } else {
      refusal = engine.sync(.caller(nil), on: queue, at: site, body)
    }
    if let refusal { throw refusal }
  }

  public func wait(for target: WaitTarget, timeout: Duration?) throws(WaitRefusal) {
    if ForkGuard.isForked {
      if Self.hasComeAbout(target) { return }
      throw .refused(.forkedChild)
    }
    let hasComeAbout: () -> Bool
    let blocks: BlockedThread.Target
    var others: [PoolShare] = []
    var timesJoined = 0
    switch target {
    case .item(let item):
      if item.outcome != nil { return }
      hasComeAbout = { item.outcome != nil }
      blocks = .item(item)
    case .group(let group, let time):
      guard
        group.whenEmpty(
          wake: waker(of: group), by: self, checks: true, since: time)
      else { return }
      hasComeAbout = { group.hasEmptied(since: time) }
      blocks = .group(group)
      timesJoined = group.timesJoined
      others = sharesOfOthers(in: group)
    }
    // Such a wait is refused even with a time-out.
    if Self.isOnStack(target) { throw engine.deadlock(name(of: target)) }
    let refusal = engine.withCore { core -> WaitRefusal? in
      if case .item(let item) = target {
        item.requireNotElsewhere(than: doors.name)
        item.noteAwaited()
      }
      let end = timeout.map { core.instant.advanced(by: $0) }
      let thread = engine.block(for: blocks, mayTimeOut: end != nil, others: others)
      defer { engine.unblock(thread) }
      if case .group(let group, _) = target, group.timesJoined != timesJoined {
        // Another dispatcher has got members of the group since the list was made. The waker may have run before this
        // thread was known to be blocked, and so without adding that dispatcher's share.
        core.callbacks.appendWake(waker(of: group))
      }
      core.judge(closing: thread)
      while !hasComeAbout() {
        if let end, core.instant >= end { return .timedOut }
        if let others = thread.refusal { return engine.deadlock(name(of: target), others) }
        engine.park(thread, until: end)
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  /// The pool shares of the other dispatchers that have members of `group`. The wait does not keep those dispatchers.
  private func sharesOfOthers(in group: WorkGroup) -> [PoolShare] {
    group.dispatchersOfMembers.compactMap { ($0 as? UVDispatcher)?.engine.share }
      .filter { $0 !== engine.share }
  }

  /// Makes a closure that wakes the threads that wait for `group`, and adds the shares of the dispatchers that have
  /// members of it by then. It is called under no lock.
  private func waker(of group: WorkGroup) -> @Sendable () -> Void {
    let name = ObjectIdentifier(group)
    return { [weak self, weak group] in
      Engine.ofLiving(self) { engine in
        let others = group.map { engine.dispatcher.sharesOfOthers(in: $0) } ?? []
        engine.withCore { core in
          core.blocked.flagWaiters(ofGroup: name)
          if !others.isEmpty { engine.addShares(others, toWaitersOf: name) }
        }
      }
    }
  }

  /// Whether a body that runs on this thread would wait for its own end.
  private static func isOnStack(_ target: WaitTarget) -> Bool {
    TaskContext.isRunning { context in
      switch target {
      case .item(let item): context.item?.handled === item
      case .group(let group, _): context.item?.handled.group === group
      }
    }
  }

  private static func hasComeAbout(_ target: WaitTarget) -> Bool {
    switch target {
    case .item(let item): item.outcome != nil
    case .group(let group, let time): group.count == 0 || group.hasEmptied(since: time)
    }
  }

  private func name(of target: WaitTarget) -> String {
    switch target {
    case .item(let item): item.name
    case .group: "a group"
    }
  }
}

extension Engine {
  fileprivate func sync(
    _ work: consuming QueuedTask.Work, on queue: TaskQueue, at site: CallSite, _ body: () -> Void
  ) -> WaitRefusal? {
    let identity = queue.identity
    let caller = innermostTask
    // ``TaskContext/isRunning(_:)`` does not look below a task that this thread runs on top of a wait: such a task may
    // wait for a queue of the task below it.
    let isOnStack = caller != nil && TaskContext.isRunning(identity)
    // In a callback after the end of a task the code is in no task. If the thread has no task at all, that is not
    // asked.
    let parent = caller == nil || TaskContext.isOutsideTasks ? nil : caller
    lock()
    defer { unlock() }
    if !isOnStack, queue.lane == .background,
      let context = core.enterAtOnce(
        view(queue.view), asBarrier: queue.isBarrier, at: site, parent: parent?.id)
    {
      let isNested = core.beginNested(context, in: caller)
      if core.callbacks.isEmpty {
        // Entering only takes a place in the queue, so no invariant has to be restored.
        context.enter(by: dispatcher)
        free()
      } else {
        enterAndUnlock(context)
      }
      perform(body, in: context)
      if isNested { core.endNested(in: caller) }
      if core.leave(context) { core.running.keep(caller: consume context) }
      return nil
    }
    // Only the task holds the view, since another retain would cost time.
    let task = core.makeTask(
      work, on: queue.lane, view(queue.view), isBarrier: queue.isBarrier, site: site,
      parent: parent?.id)
    if let refusal = core.refusal(isTimer: false, isFromOwnWork: parent != nil) {
      core.refuse(task, refusal)
      return .refused(refusal)
    }
    if isOnStack || queue.lane == .foreground && core.loopThread.isCalling {
      core.refuse(task, .wouldDeadlock)
      return deadlock("its turn on \(queue.label)")
    }
    core.accept(task)
    core.enqueue(task)
    let refusal = waitForAdmission(task, caller, queue, body)
    core.reuse(consume task)
    return refusal
  }

  /// Blocks the calling thread under the lock until the loop has run the body of `task`, or until the thread is
  /// admitted and runs the body itself.
  ///
  /// - Returns: Why the body has not run and will not. Nil if it has run.
  private func waitForAdmission(
    _ task: QueuedTask, _ caller: RunningTask?, _ queue: TaskQueue, _ body: () -> Void
  ) -> WaitRefusal? {
    let thread = block(for: .admission(task), mayTimeOut: false)
    core.judge(closing: thread)
    while !task.hasRun {
      if task.isRejected {
        unblock(thread)
        return .refused(.shutDown)
      }
      if task.isAdmitted {
        core.blocked.noticeAdmission()
        unblock(thread)
        runAdmitted(body, as: task, in: caller, core)
        return nil
      }
      if let others = thread.refusal.take(), core.takeBack(task) {
        // If the loop had begun the body, a thread in the body would be blocked, and that thread would be refused
        // instead.
        core.endUnstarted(task, .cancelled)
        unblock(thread)
        return deadlock("its turn on \(queue.label)", others)
      }
      if thread.mayHelp { help(thread, before: task, core) } else { park(thread) }
    }
    unblock(thread)
    return nil
  }

  /// Lets a worker that is blocked in `sync` run the first task of the queue that it waits for, on top of its wait.
  /// Otherwise the search for deadlocks would refuse its wait for want of a worker.
  private func help(_ thread: BlockedThread, before task: QueuedTask, _ core: Core) {
    thread.mayHelp = false
    guard let next = core.startToHelp(task.view) else { return }
    core.blocked.beginBusy(thread)
    thread.helped = next
    run(next, core, hidesOuter: true)
    thread.helped = nil
    tellIfDue(core, isWorker: false, on: .background)
    core.blocked.endBusy(thread)
    core.blocked.flagThoseThatCheckAlways()
    // Its wait begins again, and may close a circle now.
    if !task.isAdmitted { core.judge(closing: thread) }
  }

  /// Under the lock, which it frees while the body runs: runs the body of a caller of `sync` that was admitted, and
  /// ends its task.
  private func runAdmitted(
    _ body: () -> Void, as task: QueuedTask, in caller: RunningTask?, _ core: Core
  ) {
    core.begin(task)
    let isNested = core.beginNested(task, in: caller)
    enterAndUnlock(task)
    perform(body, in: task)
    if isNested { core.endNested(in: caller) }
    core.finish(task, .completed)
  }

  /// Runs the body of a caller of `sync`, whose context the thread has entered, and then takes the lock.
  @inline(__always) private func perform(_ body: () -> Void, in context: QueuedTask) {
    body()
    context.leave()
    lock()
  }

  /// The refusal of a wait of the calling thread, with the chain of what waits for what.
  ///
  /// - Parameters:
  ///   - what: What the calling thread would wait for.
  ///   - others: The links of the other threads that the wait would depend on, in order.
  func deadlock(_ what: String, _ others: [WaitLink] = []) -> WaitRefusal {
    var links = TaskContext.stack.enumerated().map { depth, context in
      WaitLink(
        waiter: context.name, waiterQueue: context.queueLabel,
        waitsFor: depth == 0 ? what : "the body that runs inside its call, which is the link before"
      )
    }
    links += others.filter { !links.contains($0) }
    let here = WaitLink(waiter: "this thread", waiterQueue: nil, waitsFor: what)
    return .wouldDeadlock(chain: links.isEmpty ? [here] : links)
  }
}
