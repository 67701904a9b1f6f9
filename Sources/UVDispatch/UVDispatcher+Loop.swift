internal import Synchronization
public import TaskDispatch

extension UVDispatcher {
  /// Runs the loop on the calling thread, which is the foreground until the dispatcher is shut down.
  ///
  /// On the main thread it also serves `DispatchQueue.main`, and with it `@MainActor` code. In each iteration of the
  /// loop the blocks that wait there run as one task of the foreground, so such code is on the foreground. They stay
  /// in their queue until this returns if it was called from a block of that queue, or if the process has no
  /// descriptor left for it.
  ///
  /// It does not serve `RunLoop.main`, which is Foundation's own: a `Timer.scheduledTimer`, or a block of
  /// `RunLoop.main.perform`, never comes while this runs. Use `foreground.every` and `foreground { }` instead, or
  /// `DispatchQueue.main`.
  ///
  /// While it runs, a write on this thread to a pipe or a socket whose other side has closed does not end the
  /// process: it fails with `EPIPE`. For that the thread blocks `SIGPIPE`, unless the process handles or ignores that
  /// signal. A program that a body starts on this thread inherits the mask, unless it is given one of its own
  /// (`POSIX_SPAWN_SETSIGMASK`).
  ///
  /// Returns when all accepted work has ended or is named in the report. Jobs of Swift Tasks that have reached this
  /// dispatcher by then have run as well, up to the shutdown's deadline. Returns at once if the loop has ended
  /// already, for example in ``runUntilIdle(servesMainQueue:)``.
  ///
  /// Traps inside a task (rule 18), while another thread runs the loop, and in a forked child.
  ///
  /// - Parameter servesMainQueue: Whether to serve `DispatchQueue.main`. It has no effect on any other thread than
  ///   the main one.
  /// - Returns: What the shutdown left behind. Blocks that waited in `DispatchQueue.main` when the report was made
  ///   have run. Later ones are still there, for the next loop that serves the queue.
  @available(*, noasync, message: "the loop would keep a thread of Swift's pool; use `start()`")
  @discardableResult
  public func run(servesMainQueue: Bool = true) -> ShutdownReport {
    if let report = enterLoop("run()", orReport: true) { return report }
    return onThisThread(servesMainQueue: servesMainQueue) {
      while true {
        loop.run()
        if let report = leaveLoop() { return report }
      }
    }
  }

  private func onThisThread<Result>(servesMainQueue: Bool, _ body: () -> Result) -> Result {
    withCore { $0.takeLoop() }
    return BrokenPipes.withHeldBack {
      guard servesMainQueue && MainQueue.isOnItsThread, (try? MainQueue.prepare()) != nil else {
        return whileBlocked(body)
      }
      return whileBlocked { loop.servingMainQueue(body) }
    }
  }

  /// Runs the loop on a thread of its own, named after the dispatcher's label, and returns at once.
  ///
  /// That thread blocks the signals that the main thread blocks, as the workers do. So `SIGTERM` can stop a program
  /// that a body starts. For `SIGPIPE`, what ``run(servesMainQueue:)`` says holds here too.
  ///
  /// The loop ends after ``shutdown(_:)``, or after ``beginShutdown(_:)``, for which ``waitForReport(timeout:)`` can
  /// wait.
  ///
  /// Traps inside a task, while the loop runs, once it has ended for good, and in a forked child.
  ///
  /// - Throws: ``UVError`` if the system has no room for another thread. The loop does not run then, and may be run
  ///   again.
  public func start() throws(UVError) {
    _ = enterLoop("start()", orReport: false)
    do throws(UVError) {
      try OwnThread.start(named: settings.label, runsBodies: true) {
        self.withCore { $0.takeLoop() }
        BrokenPipes.withHeldBack {
          while true {
            self.loop.run()
            if self.leaveLoop() != nil { return }
          }
        }
      }
    } catch {
      withCore { $0.leaveLoop() }
      throw error
    }
  }

  /// Runs the loop on the calling thread until nothing is left that could run now and no timer is due.
  ///
  /// The call of the same name on a fake does the same. After it the loop does not run, and can be run again.
  ///
  /// It waits for background work that is running. If the dispatcher is shut down during the call, it returns at the
  /// end of the shutdown, and the next ``run(servesMainQueue:)`` returns the report. Traps where
  /// ``run(servesMainQueue:)`` traps.
  ///
  /// - Parameter servesMainQueue: Whether to serve `DispatchQueue.main` on the main thread. Blocks that wait there
  ///   count as work that could run now.
  @available(*, noasync, message: "the loop would keep a thread of Swift's pool; use `start()`")
  public func runUntilIdle(servesMainQueue: Bool = true) {
    if enterLoop("runUntilIdle()", orReport: true) != nil { return }
    withCore { core in
      core.leavesWhenIdle = true
      core.loop.isWanted = true
    }
    onThisThread(servesMainQueue: servesMainQueue) { runLoopUntilIdle() }
  }

  private func runLoopUntilIdle() {
    while true {
      loop.run()
      let leaves = withCore { core -> Bool in
        guard core.leavesWhenIdle else { return true }
        guard core.isIdle || core.shutdown?.report != nil else { return false }
        core.leavesWhenIdle = false
        return true
      }
      if leaves { break }
    }
    if withCore({ $0.shutdown?.report }) != nil {
      while leaveLoop() == nil { loop.run() }
    } else {
      withCore { $0.leaveLoop() }
    }
  }

  /// Claims the loop for the calling code. Traps where ``run(servesMainQueue:)`` says so.
  ///
  /// - Parameter orReport: Whether the loop may have ended in an earlier call. If false, an ended loop traps.
  /// - Returns: The report if the loop has ended for good. Nil if the caller is to run it.
  private func enterLoop(_ call: String, orReport: Bool) -> ShutdownReport? {
    if ForkGuard.isForked {
      refuse(
        "\(call) in a forked child, which has neither the loop nor the pool; it can only exec or _exit"
      )
    }
    if let task = currentTask {
      refuse(
        "\(call) inside a task: \(task.record) is running on this thread; submit what should run, "
          + "or call it outside any task")
    }
    return withCore { core in
      if orReport, core.loop.isOver { return core.shutdown?.report }
      require(
        !core.loop.isOver, "\(call) after the end: this dispatcher was shut down; make another")
      require(
        !core.loopRuns,
        "\(call) while the loop runs already: a dispatcher has one loop, so post to it")
      core.loopRuns = true
      core.loop.isWanted = true
      return nil
    }
  }

  /// Ends the loop for good, if nothing is left for it.
  ///
  /// - Returns: The report. Nil if the loop has to go on.
  private func leaveLoop() -> ShutdownReport? {
    let core = lock()
    guard let report = core.shutdown?.report, isOver(core) else {
      core.loop.isWanted = true
      unlock()
      return nil
    }
    core.loop.end()
    core.leaveLoop()
    core.strandLateJobs()
    // A thread that is counted as in flight is about to wake the loop, or does so now. The loop must stay open for
    // it.
    wait { core.loop.inFlight == 0 && !core.mailbox.isBeingFetchedFor }
    unlock()
    loop.close()
    core.share.leave()
    return report
  }

  /// Runs one iteration of the loop: the main queue, timers that are due, events, then as much of the foreground's
  /// queue as the time budget allows.
  func turn() {
    let core = lock()
    let wokenForPosts = core.wokenForPostsAt.exchange(.min, ordering: .relaxed)
    // If the loop was woken by ``LoopWakeups/request(at:)``, that has adjusted the spin limit. If the loop did not
    // sleep, there is nothing to learn.
    if !core.loop.beginIteration() {
      core.loop.patience.learn(at: wokenForPosts > .min ? wokenForPosts : core.now)
    }
    if loop.hasMainQueueWork(looks: core.shutdown != nil), core.mayServeMainQueue {
      serveMainQueue(core)
    }
    core.settleTimers()
    if core.awaitsEvents || loop.mayBeReady {
      settleEvents(core, looks: core.leavesWhenIdle)
    }
    core.advanceShutdown(isTurn: true)
    tellIfDue(core, isWorker: false)
    var allotment = Allotment(
      nanoseconds: settings.loopBudget.time.clampedNanoseconds, from: core.now)
    var left = settings.loopBudget.tasks
    var mayLookOnce = true
    var away: Int64 = 0
    while left > 0 {
      if let task = core.takeForeground(core.loopFrame) {
        let isUsedUp = run(task, core, within: &allotment, left: &left)
        core.reuse(consume task)
        core.renewIfKnown(&core.loopFrame)
        tellIfDue(core, isWorker: false)
        if isUsedUp { break }
        mayLookOnce = true
      } else if !core.outbox.isEmpty {
        tellIfDue(core, isWorker: false)
      } else if mayLookOnce, core.loopMaySearch,
        core.loop.patience.allowsSearch(at: core.now, away: away)
      {
        mayLookOnce = false
        away = lookForForeground(core)
      } else {
        break
      }
    }
    var again = core.hasForeground || core.loop.isWanted || !core.mailbox.rest()
    if !again, core.leavesWhenIdle {
      // A descriptor that these bodies have made ready is work that could run now.
      if core.awaitsEvents { settleEvents(core, looks: true) }
      again = core.hasForeground || loop.hasMainQueueWork(looks: true) && core.mayServeMainQueue
    }
    if core.shutdown?.report != nil {
      if !again || core.isPastDeadline, isOver(core) { loop.stop() }
    } else if !again, core.leavesWhenIdle, core.isIdle {
      loop.stop()
    }
    loop.comesRoundAgain(again)
    if !again { setTimer(core) }
    core.loop.endIteration(again: again)
    unlock()
  }

  /// Frees the lock, and spins while it looks for new work for the foreground.
  ///
  /// To sleep and to be woken takes the loop's thread and the thread that wakes it some microseconds each. In a
  /// stream of short tasks that would happen every few tasks.
  ///
  /// - Returns: For how long, at most, other threads had the processor when this one yielded it, in nanoseconds.
  private func lookForForeground(_ core: Core) -> Int64 {
    let (began, length) = (core.now, core.loop.patience.length)
    core.loop.beginSpin()
    core.loopIsTold.store(false, ordering: .relaxed)
    unlock()
    let search = spin(nanoseconds: length) {
      core.mailbox.mayHoldEntries || core.loopIsTold.load(ordering: .relaxed)
    }
    lock()
    core.loop.endSpin()
    if !search.hasFound { core.loop.patience.noteInVain(since: began) }
    return search.away
  }

  /// Whether the report was made and nothing else is left. Whatever is left asks for another iteration when it ends.
  private func isOver(_ core: Core) -> Bool {
    core.hasNothingLeft && !awaitsMainActor(core)
  }

  /// Whether a Task that has awaited the end will still resume on the main queue.
  private func awaitsMainActor(_ core: Core) -> Bool {
    core.awaitersOnMainActor > 0 && core.shutdown?.report != nil && loop.expectsMainQueueToRun()
  }

  /// Runs the blocks that wait in `DispatchQueue.main`, as one task of the foreground. Under the lock, which it frees
  /// while they run.
  private func serveMainQueue(_ core: Core) {
    let task = core.makeTask(
      .mainQueue(of: loop), on: .foreground, nil,
      site: CallSite(fileID: "DispatchQueue.main", line: 0), parent: nil)
    core.accept(task)
    core.begin(task)
    run(task, core)
    core.reuse(consume task)
    tellIfDue(core, isWorker: false)
  }

  /// Sets the loop's timer for the next deadline. Sets it again even if that deadline has not changed: libuv counts
  /// in milliseconds, and its timer may have fired a little early.
  private func setTimer(_ core: Core) {
    let next = core.nextDeadline
    guard next < .max || core.loop.timerIsSetFor < .max else { return }
    core.loop.timerIsSetFor = next
    // The deadline may lie far in the past, since a sleep may name any instant.
    let wait = next > core.now ? next - core.now : 0
    loop.setTimer(next == .max ? nil : wait)
  }

  /// Runs `body` with the `uv_loop_t`, for C libraries that bring handles of their own.
  ///
  /// Only in a task of the foreground; anywhere else it traps. libuv makes its callbacks on the loop's thread, but in
  /// no task. If a callback needs the foreground, it submits a task there. A shutdown accepts what callbacks submit
  /// while it drains, as it does for tasks.
  ///
  /// Close the handles that you open, with `uv_close` in a task of the foreground, before the last task ends that a
  /// shutdown drains. If a handle is still open when the dispatcher ends, it traps and names the kind of that handle.
  public func withLoop<Result>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (OpaqueLoop) throws -> Result
  ) rethrows -> Result {
    preconditionForeground(fileID: fileID, line: line)
    return try unsafe loop.withLoop { loop in try unsafe body(OpaqueLoop(loop)) }
  }
}
