internal import Synchronization
internal import TaskDispatch

/// Leases, and how bodies are run in them and on the loop.
extension UVDispatcher {
  /// A lease: runs what the policy says is next, one task after the other, until there is nothing or
  /// its quantum is over. Then the thread is libuv's again.
  func work() {
    TaskFrame.threadWorksFor = self
    TaskFrame.threadReleases = false
    defer {
      TaskFrame.threadWorksFor = nil
      // What holds the run may hold the dispatcher last, and the thread counts as free by then.
      TaskFrame.threadReleases = true
    }
    let core = lock()
    core.workers.arrive()
    var frame = core.makeFrame(on: .background)
    var term = Term(from: core.now)
    var left = Int.max
    // Whoever started it has counted it as searching.
    var isSearching = true
    var mayLookOnce = true
    var away: Int64 = 0
    while true {
      let next = core.startOnWorker(frame)
      if isSearching {
        // What it took or did not find, ``Core/settle()`` knows now; it starts the next searcher.
        core.workers.endSearch()
        isSearching = false
      }
      if let next = consume next {
        let isUsedUp = run(next, core, within: &term.allotment, left: &left)
        core.reuse(consume next)
        core.renewIfKnown(&frame)
        tellIfDue(core, isWorker: true)
        mayLookOnce = true
        guard isUsedUp else { continue }
        let end = term.end(at: core.now, isAwaited: PoolShares.ofProcess.isAwaited) {
          Leases.hadThreadToSpare(since: monotonic($0))
        }
        // Others wait for a thread of the pool as well; what is left gets a lease at its tail.
        if end == .isOver { break }
        if end == .asks {
          core.workers.beginSearch()
          isSearching = true
          unlock()
          Leases.askForThreadToSpare()
          lock()
        }
        continue
      }
      if !core.outbox.isEmpty {
        tellIfDue(core, isWorker: true)
        continue
      }
      guard mayLookOnce, core.workers.maySpin(at: core.now, away: away) else { break }
      core.workers.beginSearch()
      isSearching = true
      mayLookOnce = false
      away = lookForWork(core)
    }
    if core.leavesWhenIdle || core.shutdown != nil { core.loop.isWanted = true }
    // Its thread is about to be free, for another run of this dispatcher first.
    core.share.end()
    core.workers.isShort = false
    unlock()
    core.share.callOthers()
  }

  /// Another dispatcher has given back a thread of the pool.
  private func lookForThread() { withCore { $0.workers.isShort = false } }

  /// What this dispatcher has of the pool.
  func makeShare() -> PoolShare {
    PoolShare(of: .ofProcess, threads: effectivePoolThreads) { [unowned self] in
      let dispatcher = self
      return { dispatcher.lookForThread() }
    }
  }

  /// Frees the lock while it looks whether something comes that a worker may start.
  ///
  /// - Returns: For how long others had the processor when it gave way, in nanoseconds.
  private func lookForWork(_ core: Core) -> Int64 {
    let (began, length) = (core.now, core.workers.patience.length)
    unlock()
    let search = spin(nanoseconds: length) {
      core.inbox.mayHoldEntries || core.inbox.mayHoldViews
        || core.mayStart.load(ordering: .relaxed)
    }
    lock()
    if !search.hasFound { core.workers.patience.noteInVain(since: began) }
    return search.away
  }

  /// Under the lock, which it frees meanwhile: runs the body of a task that has begun, and ends it.
  /// After a plain body it goes on with those that come next.
  ///
  /// - Parameter left: How many bodies may run.
  /// - Returns: Whether the allotment is used up.
  func run(
    _ task: QueuedTask, _ core: Core, within allotment: inout Allotment, left: inout Int
  ) -> Bool {
    guard task.isFrame else {
      run(task, core)
      left -= 1
      return allotment.isUsedUp { core.now }
    }
    var isUsedUp = false
    var telling: WorkItem.Telling?
    let outcome = runInFrame(
      task, core, within: &allotment, left: &left, isUsedUp: &isUsedUp, &telling)
    core.finish(task, outcome, telling)
    return isUsedUp
  }

  /// Under the lock, which it frees meanwhile: runs what a frame of a thread holds, and what comes next.
  ///
  /// - Parameter telling: Set if the last is an item that has its outcome, of which something is to be told.
  /// - Returns: The outcome of the last, which still has to be ended.
  @inline(__always) private func runInFrame(
    _ frame: QueuedTask, _ core: Core, within allotment: inout Allotment, left: inout Int,
    isUsedUp: inout Bool, _ telling: inout WorkItem.Telling?
  ) -> Outcome {
    var outcome = Outcome.completed
    // Not a `let`, which would hold the first body until this returns, under the lock.
    var first = frame.takePlain()
    frame.enter(by: self)
    defer { frame.leave() }
    unlock()
    var plain: PlainTask
    if let body = first.take() {
      plain = body
    } else {
      guard
        let next = runItems(
          in: frame, core, within: &allotment, left: &left, isUsedUp: &isUsedUp, last: &outcome,
          &telling)
      else { return outcome }
      plain = next
    }
    while true {
      Self.perform(consume plain)
      lock()
      left -= 1
      isUsedUp = allotment.isUsedUp { core.now }
      if isUsedUp || left <= 0 { return outcome }
      if let next = core.takeSuccessor(in: frame, at: allotment.lastLook) {
        plain = next
        // There is nothing to settle: see ``Core/takeSuccessor(in:at:)``.
        free()
        continue
      }
      guard core.goOnWithItem(in: frame, ending: .completed) else { return outcome }
      free()
      guard
        let next = runItems(
          in: frame, core, within: &allotment, left: &left, isUsedUp: &isUsedUp, last: &outcome,
          &telling)
      else { return outcome }
      plain = next
    }
  }

  /// Without the lock, which it takes: runs the item that the frame of a thread holds, and the items that
  /// come next, as long as nothing is to be told of their ends: a thread that calls back into user code
  /// holds no task that it has yet to run.
  ///
  /// Only this and the frame may hold one here: else the last reference might be dropped under the lock.
  ///
  /// - Parameters:
  ///   - outcome: Becomes that of the last item, if that has to be ended as any task is.
  ///   - telling: Set then, if that has its outcome already.
  /// - Returns: The plain body that follows; then the lock is free again. Nil, under the lock, if none
  ///   does.
  @inline(never) private func runItems(
    in frame: QueuedTask, _ core: Core, within allotment: inout Allotment, left: inout Int,
    isUsedUp: inout Bool, last outcome: inout Outcome, _ telling: inout WorkItem.Telling?
  ) -> PlainTask? {
    while true {
      let item = frame.item!
      let ended = item.run()
      lock()
      left -= 1
      isUsedUp = allotment.isUsedUp { core.now }
      outcome = ended
      // One that is known, or was abandoned, is ended as any task is, and so is the last.
      guard frame.mayGoOn, !isUsedUp, left > 0 else { return nil }
      var isAwaited = false
      if !item.completeQuietly(after: ended) {
        guard let told = item.setOutcome(ended) else { return nil }
        guard told.isNothing else {
          telling = told
          return nil
        }
        isAwaited = told.isAwaited
      }
      let isFollowed = core.goOnWithItem(in: frame, ending: ended)
      var plain: PlainTask?
      if !isFollowed {
        guard
          let next = core.takeSuccessor(ofItemIn: frame, at: allotment.lastLook, ending: ended)
        else {
          telling = WorkItem.Telling(isAwaited: isAwaited)
          return nil
        }
        plain = next
      }
      if isAwaited { core.blocked.flagWaiters(of: item) }
      free()
      // To release it runs no user code.
      _ = consume item
      if !isFollowed { return plain }
    }
  }

  /// Runs a body, and lets go of it before it returns, which may run anybody's `deinit`.
  @inline(never) private static func perform(_ plain: consuming PlainTask) { plain.body() }

  /// Enters the frame of a task that has begun, and frees the lock. Observers that are told of the start are
  /// in no task, but if they wait, this task does.
  @inline(__always) func enterAndUnlock(_ task: QueuedTask, hidesOuter: Bool = false) {
    task.enter(by: self, hidesOuter: hidesOuter)
    unlock(outsideTasks: true)
  }

  /// Under the lock, which it frees meanwhile: runs the body of a task that has begun, and ends it.
  func run(_ task: QueuedTask, _ core: Core, hidesOuter: Bool = false) {
    enterAndUnlock(task, hidesOuter: hidesOuter)
    let outcome = task.perform()
    task.leave()
    lock()
    core.finish(task, outcome)
  }
}
