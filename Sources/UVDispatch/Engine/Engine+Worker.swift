internal import Synchronization
internal import TaskDispatch

/// Worker runs, and how bodies run in them and on the loop.
extension Engine {
  /// A worker run: runs tasks one after the other, each the one that the policy picks, until there is none or the
  /// time slice is over. Then the thread is libuv's again.
  func work() {
    TaskContext.threadWorksFor = dispatcher
    TaskContext.threadReleases = false
    defer {
      TaskContext.threadWorksFor = nil
      // The closure that calls this may hold the last reference to the dispatcher. It is released after this returns.
      // The thread counts as free by then, so that release must run no user code here.
      TaskContext.threadReleases = true
    }
    let core = lock()
    core.workers.arrive()
    var context = core.makeContext(on: .background)
    var slice = TimeSlice(from: core.now)
    var left = Int.max
    // The thread that started this run has counted it as searching.
    var isSearching = true
    var mayLookOnce = true
    var away: Int64 = 0
    while true {
      let next = core.startOnWorker(context)
      if isSearching {
        // ``Core/reconcile()`` sees now what this run took, or that it found nothing, and starts the next searching run.
        core.workers.endSearch()
        isSearching = false
      }
      if let next = consume next {
        let isUsedUp = run(next, core, within: &slice.budget, left: &left)
        core.reuse(consume next)
        core.renewIfKnown(&context)
        tellIfDue(core, isWorker: true)
        mayLookOnce = true
        guard isUsedUp else { continue }
        let end = slice.end(at: core.now, isAwaited: PoolShares.ofProcess.isAwaited) {
          WorkerRuns.hadThreadToSpare(since: monotonic($0))
        }
        // Other users wait for a thread of the pool too. The remaining tasks get another worker run, which queues
        // behind those users.
        if end == .isOver { break }
        if end == .asks {
          core.workers.beginSearch()
          isSearching = true
          unlock()
          WorkerRuns.askForThreadToSpare()
          lock()
        }
        continue
      }
      if !core.callbacks.isEmpty {
        tellIfDue(core, isWorker: true)
        continue
      }
      guard mayLookOnce, core.workers.maySpin(at: core.now, away: away) else { break }
      core.workers.beginSearch()
      isSearching = true
      mayLookOnce = false
      away = lookForWork(core)
    }
    if core.loopThread.leavesWhenIdle || core.closing.hasBegun { core.loop.want() }
    // The thread is about to be free. Another run of this dispatcher may have it before other dispatchers are called.
    core.share.end()
    core.workers.isShort = false
    unlock()
    core.share.callOthers()
  }

  /// Called when another dispatcher has given back a thread of the pool.
  private func lookForThread() { withCore { $0.workers.isShort = false } }

  /// Makes this dispatcher's share of the pool.
  func makeShare(poolThreads: Int) -> PoolShare {
    PoolShare(of: .ofProcess, threads: poolThreads) { [unowned dispatcher] in
      let dispatcher = dispatcher
      return { dispatcher.engine.lookForThread() }
    }
  }

  /// Frees the lock, and spins while it looks for a task that a worker may start.
  ///
  /// - Returns: For how long, at most, other threads had the processor when this one yielded it, in nanoseconds.
  private func lookForWork(_ core: Core) -> Int64 {
    let (began, length) = (core.now, core.workers.spinLimit.length)
    unlock()
    let search = spin(nanoseconds: length) {
      doors.background.mayHoldEntries || doors.background.mayHoldViews
        || doors.hints.mayStart.load(ordering: .relaxed)
    }
    lock()
    if !search.hasFound { core.workers.spinLimit.noteInVain(since: began) }
    return search.away
  }

  /// Under the lock, which it frees while bodies run: runs the body of a task that has begun, and ends the task. In a
  /// running-task context of a thread it goes on with the next tasks of the batch.
  ///
  /// - Parameters:
  ///   - allotment: The time budget of the batch.
  ///   - left: How many more bodies may run. Lowered by those that ran.
  /// - Returns: Whether the time budget is used up.
  func run(
    _ task: QueuedTask, _ core: Core, within budget: inout TimeBudget, left: inout Int
  ) -> Bool {
    guard task.isThreadContext else {
      run(task, core)
      left -= 1
      return budget.isUsedUp { core.now }
    }
    var isUsedUp = false
    var telling: WorkItem.Telling?
    let outcome = runInContext(
      task, core, within: &budget, left: &left, isUsedUp: &isUsedUp, &telling)
    core.finish(task, outcome, telling)
    return isUsedUp
  }

  /// Under the lock, which it frees while bodies run: runs what the running-task context of a thread holds, and then
  /// the next tasks of the batch.
  ///
  /// - Parameter telling: Set if the last task is an item that has got its outcome already: what is left of its end.
  /// - Returns: The outcome of the last task, which the caller has to end.
  @inline(__always) private func runInContext(
    _ context: QueuedTask, _ core: Core, within budget: inout TimeBudget, left: inout Int,
    isUsedUp: inout Bool, _ telling: inout WorkItem.Telling?
  ) -> Outcome {
    var outcome = Outcome.completed
    // A `var`: a `let` would keep the first body until this returns, and release it under the lock.
    var first = context.takePlain()
    context.enter(by: dispatcher)
    defer { context.leave() }
    unlock()
    var plain: PlainTask
    if let body = first.take() {
      plain = body
    } else {
      guard
        let next = runItems(
          in: context, core, within: &budget, left: &left, isUsedUp: &isUsedUp, last: &outcome,
          &telling)
      else { return outcome }
      plain = next
    }
    while true {
      Self.perform(consume plain)
      lock()
      left -= 1
      isUsedUp = budget.isUsedUp { core.now }
      if isUsedUp || left <= 0 { return outcome }
      if let next = core.takeNextOfBatch(in: context, at: budget.lastLook) {
        plain = next
        // No invariant has to be restored: see ``Core/takeNextOfBatch(in:at:)``.
        free()
        continue
      }
      guard core.beginNextItem(in: context, ending: .completed) else { return outcome }
      free()
      guard
        let next = runItems(
          in: context, core, within: &budget, left: &left, isUsedUp: &isUsedUp, last: &outcome,
          &telling)
      else { return outcome }
      plain = next
    }
  }

  /// Called without the lock, which it takes: runs the item that the running-task context of a thread holds, and then
  /// the next items, for as long as their ends need no callbacks. A thread that calls back into user code must hold
  /// no task that it has yet to run.
  ///
  /// Only this function and the context may hold an item here. Otherwise the last reference might be dropped under
  /// the lock.
  ///
  /// - Parameters:
  ///   - outcome: Becomes that of the last item, if the caller has to end it as it ends any task.
  ///   - telling: Set as well, if that item has got its outcome already.
  /// - Returns: The plain body that comes next, with the lock free. Nil, under the lock, if none does.
  @inline(never) private func runItems(
    in context: QueuedTask, _ core: Core, within budget: inout TimeBudget, left: inout Int,
    isUsedUp: inout Bool, last outcome: inout Outcome, _ telling: inout WorkItem.Telling?
  ) -> PlainTask? {
    while true {
      let item = context.item!
      let ended = item.run()
      lock()
      left -= 1
      isUsedUp = budget.isUsedUp { core.now }
      outcome = ended
      // An item is ended as any task is if other code has seen its context, if it was abandoned, or if it is the last
      // of the batch.
      guard context.mayGoOn, !isUsedUp, left > 0 else { return nil }
      var isAwaited = false
      if !item.completeQuietly(after: ended) {
        guard let told = item.setOutcome(ended) else { return nil }
        guard told.isNothing else {
          telling = told
          return nil
        }
        isAwaited = told.isAwaited
      }
      let isFollowed = core.beginNextItem(in: context, ending: ended)
      var plain: PlainTask?
      if !isFollowed {
        guard
          let next = core.takeNextOfBatch(ofItemIn: context, at: budget.lastLook, ending: ended)
        else {
          telling = WorkItem.Telling(isAwaited: isAwaited)
          return nil
        }
        plain = next
      }
      if isAwaited { core.blocked.flagWaiters(of: item) }
      free()
      // Releasing the item here runs no user code.
      _ = consume item
      if !isFollowed { return plain }
    }
  }

  /// Runs a body, and releases it before it returns. The release may run a `deinit` of the user's.
  @inline(never) private static func perform(_ plain: consuming PlainTask) { plain.body() }

  /// Makes a task that has begun the current task of this thread, and frees the lock.
  ///
  /// Callbacks that report the start run in no task. But if one blocks, this task counts as blocked.
  @inline(__always) func enterAndUnlock(_ task: QueuedTask, hidesOuter: Bool = false) {
    task.enter(by: dispatcher, hidesOuter: hidesOuter)
    unlock(outsideTasks: true)
  }

  /// Under the lock, which it frees while the body runs: runs the body of a task that has begun, and ends the task.
  func run(_ task: QueuedTask, _ core: Core, hidesOuter: Bool = false) {
    enterAndUnlock(task, hidesOuter: hidesOuter)
    let outcome = task.perform()
    task.leave()
    lock()
    core.finish(task, outcome)
  }
}
