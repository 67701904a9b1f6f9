internal import Synchronization
internal import TaskDispatch

/// How a thread is blocked until the dispatcher has done something.
extension UVDispatcher {
  /// Under the lock: the calling thread is about to be blocked. ``unblock(_:)`` ends that.
  ///
  /// - Parameter others: Of dispatchers that have members of the group that the thread waits for.
  func block(
    for target: BlockedThread.Target, mayTimeOut: Bool, others: [PoolShare] = []
  ) -> BlockedThread {
    let core = lockedCore
    let name = ObjectIdentifier(self)
    let isWorker = TaskFrame.threadWorksFor === self
    let isInBody =
      TaskFrame.first { frame in
        frame.queue.dispatcher == name && (frame as? QueuedTask)?.runner == .worker
      } != nil
    let thread = core.blocked.begin(
      target,
      BlockedThreads.Standing(
        task: innermostTask, isLoop: core.isOnLoopThread,
        isWorker: isWorker, deliveries: TaskFrame.deliveries(for: name), mayTimeOut: mayTimeOut,
        isTelling: isWorker && !isInBody))
    for _ in 0..<core.blocked.takeNewlySearched() { core.awaitDeliveries(true) }
    if case .group = target { core.awaitingMembers.add(1, ordering: .sequentiallyConsistent) }
    // They may have a thread of the pool now that is for no others.
    let own = target.mayNeedPool ? [core.share] : []
    for share in own + others { addShare(share, to: thread) }
    thread.run = Self.beginBlockedRun { core.outbox.appendWake($0) }
    return thread
  }

  private func addShare(_ share: PoolShare, to thread: BlockedThread) {
    thread.shares.append(share)
    if share.beginBlocking() { lockedCore.outbox.appendWake(share.callOthers) }
  }

  /// Under the lock: dispatchers have members of a group that they may not have had when threads began to wait for it.
  func addShares(_ shares: [PoolShare], toWaitersOf group: ObjectIdentifier) {
    for thread in lockedCore.blocked.threads {
      guard case .group(let awaited) = thread.target, ObjectIdentifier(awaited) == group else {
        continue
      }
      for share in shares where !thread.shares.contains(where: { $0 === share }) {
        addShare(share, to: thread)
      }
    }
  }

  /// The worker run that the calling thread is in does not go on. ``endBlockedRun(of:)`` ends that.
  ///
  /// - Parameter call: Is handed what has to be called under no lock, if there is anything.
  /// - Returns: What has the run. Nil if there is none, or the thread is blocked already.
  private static func beginBlockedRun(
    _ call: (@escaping @Sendable () -> Void) -> Void
  ) -> PoolShare? {
    guard !TaskFrame.threadIsBlocked,
      let share = (TaskFrame.threadWorksFor as? UVDispatcher)?.share
    else { return nil }
    TaskFrame.threadIsBlocked = true
    if share.beginBlockedRun() { call(share.callOthers) }
    return share
  }

  private static func endBlockedRun(of share: PoolShare?) {
    guard let share else { return }
    TaskFrame.threadIsBlocked = false
    share.endBlockedRun()
  }

  /// Runs `body`, which blocks the calling thread, under no lock, until this dispatcher has done something. If that
  /// thread runs a body of another one, it may hold the thread of the pool that this one needs.
  func whileBlocked<Result>(_ body: () -> Result) -> Result {
    guard TaskFrame.threadWorksFor != nil || TaskFrame.first(where: { _ in true }) != nil else {
      return body()
    }
    if share.beginBlocking() { share.callOthers() }
    defer { share.endBlocking() }
    let run = Self.beginBlockedRun { $0() }
    defer { Self.endBlockedRun(of: run) }
    return body()
  }

  /// Under the lock: the calling thread is blocked no more.
  func unblock(_ thread: BlockedThread) {
    let core = lockedCore
    for share in thread.shares { share.endBlocking() }
    thread.shares = []
    Self.endBlockedRun(of: thread.run.take())
    if thread.isSearched { core.awaitDeliveries(false) }
    if case .group = thread.target {
      core.awaitingMembers.subtract(1, ordering: .sequentiallyConsistent)
    }
    core.blocked.end(thread)
  }

  /// Blocks the calling thread under the lock, until it is to check again or until `time`. Makes the lock
  /// free first for what the section has left to be done without it, and then comes back at once.
  func park(_ thread: BlockedThread, until time: DispatcherInstant? = nil) {
    let core = lockedCore
    core.settle()
    if core.workers.pending > 0 || core.loop.isPending || !core.outbox.isEmpty {
      // Observers may be told of what it has submitted, and wait on top of this.
      core.blocked.beginBusy(thread)
      unlock()
      lock()
      core.blocked.endBusy(thread)
    } else {
      core.judge()
      if thread.isFlagged {
        // It has its verdict.
      } else if core.blocked.hasUnwoken {
        freeAndWake()
        lock()
      } else {
        thread.isAsleep = true
        monitor.wait(at: thread.sleeper, until: time.map { monotonic($0.nanoseconds) })
        thread.isAsleep = false
        core.clock.forget()
      }
    }
    core.blocked.noteChecked(thread)
  }

  /// Blocks the calling thread under the lock until `condition`, which any section of the lock may bring.
  func wait(until condition: () -> Bool) {
    if condition() { return }
    let thread = block(for: .anything, mayTimeOut: true)
    while !condition() { park(thread) }
    unblock(thread)
  }
}

extension BlockedThread.Target {
  /// Whether a thread of the pool may bring it. The loop alone brings what is of the foreground, and only the
  /// library's own threads wait for anything.
  fileprivate var mayNeedPool: Bool {
    switch self {
    case .turn(let task), .room(let task): task.lane == .background
    case .item(let item): item.lane == .background
    case .group: true
    case .anything: false
    }
  }
}
