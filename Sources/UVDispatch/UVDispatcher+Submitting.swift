internal import Synchronization
public import TaskDispatch

extension UVDispatcher {
  // Always inlined, into the witness by which a queue calls it: of two calls it makes one. What is
  // seldom is out of line, for registers are saved for it as for the rest.
  @inline(__always) public func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    if ForkGuard.isForked { return .refused(.forkedChild) }
    if !queue.isBarrier, site.band == .medium || queue.lane == .foreground {
      if queue.lane == .foreground {
        if lockedCore.mailbox.beginPost() {
          // No variable holds it: that would keep what it captures until this thread is done here.
          let mustFetch = lockedCore.mailbox.post(
            .plain(PlainTask(body: consume body, site: site)))
          if mustFetch { fetch(.foreground) }
          return .accepted
        }
      } else if queue.view != nil {
        return postToView(consume body, on: queue, at: site)
      } else if lockedCore.inbox.beginPost() {
        let mustFetch = lockedCore.inbox.post(.plain(PlainTask(body: consume body, site: site)))
        if mustFetch { fetch(.background) }
        return .accepted
      }
    }
    return postByHand(consume body, on: queue, at: site)
  }

  @inline(never) private func postToView(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    // Else its inbox would be asked in vain.
    guard let view = queue.view as? UVView, lockedCore.isSimple else {
      return postByHand(consume body, on: queue, at: site)
    }
    let begun = view.inbox.beginPost {
      lockedCore.inbox.announce(view)
    } announceMore: {
      lockedCore.inbox.announceMore()
    }
    if begun == .isRefused { return postByHand(consume body, on: queue, at: site) }
    view.inbox.post(.plain(PlainTask(body: consume body, site: site)))
    if begun == .mustFetch { fetch(.background) }
    return .accepted
  }

  /// Fetches somebody, or another, for an inbox that is not attended by as many as may want to be.
  @inline(never) func fetch(_ lane: Lane) {
    switch lane {
    case .foreground:
      lockedCore.wokenForPostsAt.store(now.nanoseconds, ordering: .relaxed)
      loop.wake()
    case .background: withCore { $0.fetchAnother() }
    }
    // Whoever closes the loop waits until nobody is about to wake it.
    let mayBeAwaited =
      lane == .foreground ? lockedCore.mailbox.fetched() : lockedCore.inbox.fetched()
    if mayBeAwaited { withCore { _ in } }
  }

  /// With the dispatcher's lock: for all that the inboxes are not open to.
  @inline(never) private func postByHand(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    let view = view(queue.view)
    let core = lock()
    defer { unlock() }
    let parent = currentTask
    let task = core.makeTask(
      .plain(consume body), on: queue.lane, view, isBarrier: queue.isBarrier, site: site,
      parent: parent?.id)
    if let refusal = core.refusal(isTimer: false, isFromOwnWork: parent != nil)
      ?? waitForRoom(task, parent)
    {
      core.refuse(task, refusal)
      return .refused(refusal)
    }
    core.accept(task)
    core.enqueue(task)
    return .accepted
  }

  public func reply(_ body: consuming sending @escaping () -> Void, at site: CallSite) {
    // Where there is a limit, which it is exempt from, it is closed.
    if ForkGuard.isForked || !lockedCore.mailbox.beginPost() {
      submit(WorkItem.make(kind: .reply, queue: foreground, label: nil, site: site, body: body))
      return
    }
    let mustFetch = lockedCore.mailbox.post(
      .plain(PlainTask(body: handedOver(body), site: site)))
    if mustFetch { fetch(.foreground) }
  }

  @discardableResult
  public func submit(_ item: WorkItem) -> Admission { submit(item, mayWait: false) }

  public func submitWhenRoom(_ item: WorkItem) { _ = submit(item, mayWait: true) }

  private func submit(_ item: WorkItem, mayWait: Bool) -> Admission {
    if ForkGuard.isForked {
      item.finish(.refused(.forkedChild))
      return .refused(.forkedChild)
    }
    let parent = currentTask
    let view = view(item.view)
    let begun = lockedCore.post(item, to: view, parent: parent?.id)
    if begun != .isRefused {
      if begun == .mustFetch { fetch(item.lane) }
      if item.isMember { notePostedMember() }
      return .accepted
    }
    let core = lock()
    defer { unlock() }
    let isTimer = item.kind == .timer || item.kind == .repeating || item.kind == .sleep
    core.number(item, parent: parent?.id)
    if let refusal = core.refusal(isTimer: isTimer, isFromOwnWork: parent != nil)
      ?? (mayWait || core.limit == nil ? nil : waitForRoom(core.task(for: item), parent))
    {
      core.refuse(item, refusal)
      return .refused(refusal)
    }
    core.accept(item)
    core.put(item)
    return .accepted
  }

  /// Lets threads search again that are blocked until a group is empty. See ``Core/awaitingMembers``.
  @inline(never) private func notePostedMember() {
    // Changes nothing. A load might come before the item is posted.
    let awaiting = lockedCore.awaitingMembers.add(0, ordering: .sequentiallyConsistent).newValue
    if awaiting > 0 { withCore { _ in } }
  }

  /// Why a task does not get into its queue, once the caller has waited as long as it may. Under the
  /// lock.
  private func waitForRoom(_ task: QueuedTask, _ caller: QueuedTask?) -> Refusal? {
    let core = self.lockedCore
    guard core.isFull(task) else { return nil }
    guard case .blockCaller(_, let timeout) = settings.overflow else { return .limitReached }
    let end = timeout.map { core.instant.advanced(by: $0) }
    let thread = block(for: .room(task), mayTimeOut: end != nil)
    defer { unblock(thread) }
    core.judge(closing: thread)
    while core.isFull(task) {
      if let end, core.instant >= end { return .noRoomInTime }
      if thread.refusal != nil { return .wouldDeadlock }
      park(thread, until: end)
      if let refusal = core.refusal(isTimer: false, isFromOwnWork: caller != nil) {
        return refusal
      }
    }
    return nil
  }

  public func release(_ item: WorkItem) {
    if ForkGuard.isForked { return }
    withCore { $0.letIn(item) }
  }

  public func cancel(_ item: WorkItem) -> Cancellation {
    if ForkGuard.isForked { return .tooLate }
    let core = lock()
    if core.withdraw(item) {
      unlock(ending: item, .cancelled)
      return .beforeStart
    }
    defer { unlock() }
    return core.cancel(item)
  }

  public func suspend(_ queue: TaskQueue) {
    let view = view(queue.view)
    withCore { core in
      let time = core.now
      core.pool.suspend(core.poolView(view), now: { time })
    }
  }

  public func resume(_ queue: TaskQueue) {
    let view = view(queue.view)
    withCore { core in
      require(
        core.poolView(view).queue.isSuspended,
        "\(queue.label) was resumed more often than it was suspended")
      core.resume(view)
    }
  }

  nonisolated(nonsending) public func flush(_ queue: TaskQueue) async {
    await withCheckedContinuation { continuation in
      withCore { core in
        core.flushes.append(
          Core.Flush(remaining: core.unfinished(on: queue.identity)) { continuation.resume() })
        core.settleFlushes()
      }
    }
  }
}
