internal import Synchronization
public import TaskDispatch

extension UVDispatcher {
  // Always inlined, into the witness by which a queue calls it: that makes one call of two. The rare ways out are
  // functions of their own, since inlined they would make every call save more registers.
  @inline(__always) public func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    if ForkGuard.isForked { return .refused(.forkedChild) }
    if doors.recorded.isOn { return postRecorded(consume body, on: queue, at: site) }
    return post(consume body, on: queue, at: site, isRecorded: false)
  }

  @inline(never) private func postRecorded(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    post(consume body, on: queue, at: site, isRecorded: true)
  }

  /// - Parameter isRecorded: A constant, so that either way has a function without the other.
  @inline(__always) private func post(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite,
    isRecorded: Bool
  ) -> Admission {
    if !queue.isBarrier {
      // Read before the post, since the task may start at once.
      let ticks = isRecorded ? ThreadRings.ticks : 0
      if queue.lane == .foreground {
        let opening = doors.foreground.beginPost()
        if opening == .open {
          // No variable holds the task: it would keep what the body captures until this thread is done here.
          let mustNotify: Bool
          if isRecorded {
            var number: UInt64 = 0
            mustNotify = doors.foreground.post(
              recorded: PlainTask(body: consume body, site: site), &number)
            Recorder.notePost(
              ofPlain: number, to: doors.recorded.foreground, from: site, at: ticks)
          } else {
            mustNotify = doors.foreground.post(.plain(PlainTask(body: consume body, site: site)))
          }
          if mustNotify { engine.notifyConsumer(of: .foreground) }
          return .accepted
        }
        if opening == .full, isRefused(by: doors.foreground.flow) {
          return .refused(.limitReached)
        }
      } else if queue.view != nil {
        return isRecorded
          ? postToView(consume body, on: queue, at: site, recordedAt: ticks)
          : postToView(consume body, on: queue, at: site)
      } else {
        let opening = doors.background.beginPost()
        if opening == .open {
          let mustNotify: Bool
          if isRecorded {
            var number: UInt64 = 0
            mustNotify = doors.background.post(
              recorded: PlainTask(body: consume body, site: site), &number)
            Recorder.notePost(
              ofPlain: number, to: doors.recorded.background, from: site, at: ticks)
          } else {
            mustNotify = doors.background.post(.plain(PlainTask(body: consume body, site: site)))
          }
          if mustNotify { engine.notifyConsumer(of: .background) }
          return .accepted
        }
        if opening == .full, isRefused(by: doors.background.flow) {
          return .refused(.limitReached)
        }
      }
    }
    return engine.postByHand(consume body, on: queue, at: site)
  }

  /// Whether a plain task that found its queue full is refused at once. Then it counts as refused.
  @inline(never) private func isRefused(by flow: FlowControl?) -> Bool {
    guard let flow, flow.refusesAtOnce else { return false }
    flow.noteRefusal()
    doors.noteRefusal()
    return true
  }

  @inline(never) private func postToView(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    postToView(consume body, on: queue, at: site, nil)
  }

  @inline(never) private func postToView(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite,
    recordedAt ticks: UInt64
  ) -> Admission {
    postToView(consume body, on: queue, at: site, ticks)
  }

  /// - Parameter ticks: When that was, if it is recorded.
  @inline(__always) private func postToView(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite,
    _ ticks: UInt64?
  ) -> Admission {
    // If submissions are not simple, the inboxes are closed, and it would be in vain to ask this one.
    guard let view = queue.view as? UVView, view.owner == doors.name, doors.isSimple else {
      return engine.postByHand(consume body, on: queue, at: site)
    }
    let begun = doors.beginPost(to: view)
    if begun == .isRefused || begun == .isFull {
      // Once a shutdown has begun, that is what a submission is told.
      if begun == .isFull, !doors.background.isClosed, isRefused(by: view.flow) {
        return .refused(.limitReached)
      }
      return engine.postByHand(consume body, on: queue, at: site)
    }
    if let ticks, let recorded = view.recorded {
      var number: UInt64 = 0
      view.inbox.post(recorded: PlainTask(body: consume body, site: site), &number)
      Recorder.notePost(ofPlain: number, to: recorded, from: site, at: ticks)
    } else {
      view.inbox.post(.plain(PlainTask(body: consume body, site: site)))
    }
    if begun == .mustNotify { engine.notifyConsumer(of: .background) }
    return .accepted
  }

  public func reply(_ body: consuming sending @escaping () -> Void, at site: CallSite) {
    // With an observer, and once a shutdown has begun, the inbox is closed. The reply then becomes an item.
    if ForkGuard.isForked || !doors.foreground.beginExemptPost() {
      submit(WorkItem.make(kind: .reply, queue: foreground, label: nil, site: site, body: body))
      return
    }
    let plain = PlainTask(body: handedOver(body), site: site, counts: false)
    let mustNotify: Bool
    if doors.recorded.isOn {
      let ticks = ThreadRings.ticks
      var number: UInt64 = 0
      mustNotify = doors.foreground.post(recorded: plain, &number)
      Recorder.notePost(
        ofPlain: number, to: doors.recorded.foreground, from: site, at: ticks)
    } else {
      mustNotify = doors.foreground.post(.plain(plain))
    }
    if mustNotify { engine.notifyConsumer(of: .foreground) }
  }

  @discardableResult
  public func submit(_ item: WorkItem) -> Admission { engine.submit(item, mayWait: false) }

  public func submitWhenRoom(_ item: WorkItem) { _ = engine.submit(item, mayWait: true) }

  public func release(_ item: WorkItem) {
    if ForkGuard.isForked { return }
    engine.withCore { $0.letIn(item) }
  }

  public func cancel(_ item: WorkItem) -> Cancellation {
    ForkGuard.isForked ? .tooLate : engine.cancel(item, in: self)
  }

  public func suspend(_ queue: TaskQueue) {
    queue.requireSuspendable()
    let view = view(queue.view)
    engine.withCore { core in
      core.suspend(view)
    }
  }

  public func resume(_ queue: TaskQueue) {
    queue.requireResumable()
    let view = view(queue.view)
    engine.withCore { core in
      require(
        core.poolView(view).queue.isSuspended,
        "\(queue.label) was resumed more often than it was suspended")
      core.resume(view)
    }
  }

  nonisolated(nonsending) public func flush(_ queue: TaskQueue) async {
    _ = view(queue.view)
    await withCheckedContinuation { continuation in
      engine.withCore { core in
        core.addFlush(of: queue.identity) { continuation.resume() }
      }
    }
  }
}

// On the engine, where a section of the lock reaches the core in one step: from the dispatcher, each would count a
// reference to it.
extension Engine {
  /// Submits a plain body with the dispatcher's lock: for all that the inboxes do not take.
  @inline(never) fileprivate func postByHand(
    _ body: consuming @escaping @Sendable () -> Void, on queue: TaskQueue, at site: CallSite
  ) -> Admission {
    let view = view(queue.view)
    lock()
    defer { unlock() }
    let parent = currentTask
    let task = core.makeTask(
      .plain(consume body), on: queue.lane, view, isBarrier: queue.isBarrier, site: site,
      parent: parent?.id)
    if let refusal = core.refusal(isTimer: false, isFromOwnWork: parent != nil)
      ?? takeRoom(parent, in: queue.lane, view, for: { task })
    {
      core.refuse(task, refusal)
      return .refused(refusal)
    }
    core.accept(task)
    core.enqueue(task)
    return .accepted
  }

  fileprivate func submit(_ item: WorkItem, mayWait: Bool) -> Admission {
    let isTaken = item.markTaken()
    if ForkGuard.isForked {
      if isTaken { item.finishTaken(.refused(.forkedChild)) }
      return .refused(.forkedChild)
    }
    guard isTaken else { return item.admissionAgain }
    let parent = currentTask
    let view = view(item.view)
    let begun = doors.post(item, to: view, parent: parent?.id)
    if begun != .isRefused {
      if begun == .mustNotify { notifyConsumer(of: item.lane) }
      if item.isMember { notePostedMember() }
      return .accepted
    }
    lock()
    defer { unlock() }
    let isTimer = item.kind == .timer || item.kind == .repeating || item.kind == .sleep
    core.number(item, parent: parent?.id)
    var refusal = core.refusal(isTimer: isTimer, isFromOwnWork: parent != nil)
    if refusal == nil, item.countsAgainstLimits {
      if !mayWait {
        refusal = takeRoom(parent, in: item.lane, view, for: { core.task(for: item) })
      } else if !doors.takeCredit(for: item.lane, view) {
        core.accept(item)
        core.standby.addWithoutRoom(item)
        doors.flow(of: item.lane, view)?.addWaiting()
        return .accepted
      }
    }
    if let refusal {
      core.refuse(item, refusal)
      return .refused(refusal)
    }
    core.accept(item)
    core.put(item)
    return .accepted
  }

  /// Makes threads that are blocked until a group is empty search for deadlocks again. See ``Doors/awaitingMembers``.
  @inline(never) private func notePostedMember() {
    // Adds nothing. Unlike a load, an addition cannot be ordered before the post of the item.
    let awaiting = doors.awaitingMembers.add(0, ordering: .sequentiallyConsistent).newValue
    if awaiting > 0 { letBlockedThreadsCheck() }
  }

  /// Takes room in a queue for a task that counts. If the queue is full, this blocks the calling thread for as long as
  /// the queue's limit says. Under the lock.
  ///
  /// - Parameters:
  ///   - caller: The task that submits, if there is one.
  ///   - task: The object of the task, which is made if the thread blocks.
  /// - Returns: Why the task does not get into its queue. Nil if it does.
  private func takeRoom(
    _ caller: RunningTask?, in lane: Lane, _ view: UVView?, for task: () -> QueuedTask
  ) -> Refusal? {
    if doors.takeCredit(for: lane, view) { return nil }
    guard let flow = doors.flow(of: lane, view), case .blockCaller(_, let timeout) = flow.overflow
    else { return .limitReached }
    let end = timeout.map { core.instant.advanced(by: $0) }
    let thread = block(for: .room(task()), mayTimeOut: end != nil)
    flow.addWaiting()
    defer {
      if !thread.hasRoom { flow.removeWaiting() }
      unblock(thread)
    }
    // The search looks at what stands in the queue.
    core.drainWhatPrecedes(on: lane, in: view)
    core.judge(closing: thread)
    while !thread.hasRoom {
      if let end, core.instant >= end { return .noRoomInTime }
      if thread.refusal != nil { return .wouldDeadlock }
      park(thread, until: end)
      if let refusal = core.refusal(isTimer: false, isFromOwnWork: caller != nil) {
        // It may have got room before the shutdown began.
        if thread.hasRoom { core.passOnRoom(of: flow, lane, view) }
        return refusal
      }
    }
    return nil
  }

  /// Cancels an item. Another thread may be posting it.
  fileprivate func cancel(_ item: WorkItem, in dispatcher: UVDispatcher) -> Cancellation {
    lock()
    if core.withdraw(item) {
      unlock(ending: item, .cancelled, in: dispatcher)
      return .beforeStart
    }
    defer { unlock() }
    return core.cancel(item)
  }
}
