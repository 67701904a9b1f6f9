internal import Synchronization
internal import TaskDispatch

/// How a thread blocks until the dispatcher has done something.
extension Engine {
  /// Under the lock: records that the calling thread is about to be blocked. ``unblock(_:)`` ends that.
  ///
  /// - Parameter others: The pool shares of other dispatchers that have members of the group that the thread waits
  ///   for.
  func block(
    for target: BlockedThread.Target, mayTimeOut: Bool, others: [PoolShare] = []
  ) -> BlockedThread {
    let name = doors.dispatcher
    let isWorker = TaskContext.threadWorksFor === dispatcher
    let isInBody =
      TaskContext.first { context in
        context.queue.dispatcher == name && (context as? RunningTask)?.runner == .worker
      } != nil
    let (thread, searched) = core.blocked.begin(
      target,
      BlockedThreads.Waiter(
        task: innermostTask, isLoop: core.loopThread.isCalling,
        isWorker: isWorker, deliveries: TaskContext.deliveries(for: name), mayTimeOut: mayTimeOut,
        isTelling: isWorker && !isInBody))
    for _ in 0..<searched { doors.callbackCounts.addParty() }
    if case .group = target { doors.awaitingMembers.add(1, ordering: .sequentiallyConsistent) }
    // These dispatchers are urgent while the thread waits, so each may now get the spare thread of the pool.
    let own = target.mayNeedPool ? [core.share] : []
    for share in own + others { addShare(share, to: thread) }
    thread.run = Self.beginBlockedRun { core.callbacks.appendWake($0) }
    return thread
  }

  private func addShare(_ share: PoolShare, to thread: BlockedThread) {
    thread.shares.append(share)
    if share.beginBlocking() { core.callbacks.appendWake(share.callOthers) }
  }

  /// Under the lock: adds the shares of dispatchers that got members of a group after threads began to wait for it.
  func addShares(_ shares: [PoolShare], toWaitersOf group: ObjectIdentifier) {
    for thread in core.blocked.waiters(ofGroup: group) {
      for share in shares where !thread.shares.contains(where: { $0 === share }) {
        addShare(share, to: thread)
      }
    }
  }

  /// Notes that the worker run of the calling thread does not go on, because the thread blocks.
  /// ``endBlockedRun(of:)`` ends that.
  ///
  /// - Parameter call: Gets a closure that has to be called under no lock, if there is one.
  /// - Returns: The share of the pool that the run belongs to. Nil if the thread is in no worker run, or its run is
  ///   noted already.
  private static func beginBlockedRun(
    _ call: (@escaping @Sendable () -> Void) -> Void
  ) -> PoolShare? {
    guard !TaskContext.threadIsBlocked,
      let share = (TaskContext.threadWorksFor as? UVDispatcher)?.engine.share
    else { return nil }
    TaskContext.threadIsBlocked = true
    if share.beginBlockedRun() { call(share.callOthers) }
    return share
  }

  private static func endBlockedRun(of share: PoolShare?) {
    guard let share else { return }
    TaskContext.threadIsBlocked = false
    share.endBlockedRun()
  }

  /// Runs `body`, which blocks the calling thread, under no lock, until this dispatcher has done something.
  ///
  /// The calling thread may run a body of another dispatcher, and hold the pool thread that this one needs. So the
  /// pool is told of the wait.
  func whileBlocked<Result>(_ body: () -> Result) -> Result {
    guard TaskContext.threadWorksFor != nil || TaskContext.first(where: { _ in true }) != nil else {
      return body()
    }
    if share.beginBlocking() { share.callOthers() }
    defer { share.endBlocking() }
    let run = Self.beginBlockedRun { $0() }
    defer { Self.endBlockedRun(of: run) }
    return body()
  }

  /// Under the lock: records that the calling thread is not blocked any more.
  func unblock(_ thread: BlockedThread) {
    for share in thread.shares { share.endBlocking() }
    thread.shares = []
    Self.endBlockedRun(of: thread.run.take())
    if thread.isSearched { doors.callbackCounts.removeParty() }
    if case .group = thread.target {
      doors.awaitingMembers.subtract(1, ordering: .sequentiallyConsistent)
    }
    core.blocked.end(thread)
  }

  /// Blocks the calling thread under the lock, until it is flagged to check again or until `time`.
  ///
  /// If this section has left work to be done without the lock, such as wake-ups and callbacks, it does that instead
  /// and returns at once. The caller checks its condition again either way.
  func park(_ thread: BlockedThread, until time: DispatcherInstant? = nil) {
    core.reconcile()
    if core.workers.hasPending || core.loop.hasPending || !core.callbacks.isEmpty {
      // The callbacks run on this thread, and one may block it again, on top of this wait.
      core.blocked.beginBusy(thread)
      unlock()
      lock()
      core.blocked.endBusy(thread)
    } else {
      core.judge()
      if thread.isFlagged {
        // It has to check again, perhaps for the verdict that it was just given. So it must not sleep.
      } else if core.blocked.mustWake {
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

  /// Blocks the calling thread under the lock until `condition` holds. It checks again after every section of the
  /// lock.
  func wait(until condition: () -> Bool) {
    if condition() { return }
    let thread = block(for: .anything, mayTimeOut: true)
    while !condition() { park(thread) }
    unblock(thread)
  }
}

extension BlockedThread.Target {
  /// Whether a thread of the pool may end the wait. Only the loop ends waits for the foreground, and only the
  /// library's own threads wait for `anything`.
  fileprivate var mayNeedPool: Bool {
    switch self {
    case .admission(let task), .room(let task): task.lane == .background
    case .item(let item): item.lane == .background
    case .group: true
    case .anything: false
    }
  }
}
