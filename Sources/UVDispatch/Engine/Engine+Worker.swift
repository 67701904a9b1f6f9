internal import TaskDispatch

/// Worker runs.
extension Engine {
  /// A worker run: runs tasks one after the other, each the one that the policy picks, until there is none or the
  /// time slice is over. Then the thread is libuv's again.
  func work() {
    ThreadName.setOnWorker(of: settings.label, doors.name)
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
    runBackground(core)
    if core.leavesWhenIdle || core.closing.hasBegun { core.loop.want() }
    // The thread is about to be free. Another run of this dispatcher may have it before other dispatchers are called.
    core.share.end()
    core.workers.isShort = false
    unlock()
    core.share.callOthers()
  }

  /// Runs tasks until there is none or the time slice is over. Under the lock, which it frees while bodies run.
  @inline(__always) private func runBackground(_ core: Core) {
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
        // ``Core/reconcile()`` sees now what this run took, or that it found nothing, and starts the next searching
        // run.
        core.workers.endSearch()
        isSearching = false
      }
      if let next = consume next {
        let isUsedUp = run(consume next, in: context, core, within: &slice.budget, left: &left)
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
        || doors.hints.taskMayStart
    }
    lock()
    if !search.hasFound { core.workers.spinLimit.noteInVain(since: began) }
    return search.away
  }
}
