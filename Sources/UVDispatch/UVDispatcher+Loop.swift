internal import Synchronization
public import TaskDispatch

extension UVDispatcher {
  /// Runs the loop on the calling thread, which is the foreground until somebody shuts down.
  ///
  /// On the main thread it serves `DispatchQueue.main` as well, and with that `@MainActor` code. In each
  /// turn of the loop what waits there runs as a task of the foreground, which such code therefore is
  /// on. Called from a block of that queue itself, it serves nothing: what waits there goes on waiting
  /// until this returns. Nor if the process has no descriptor left for it.
  ///
  /// It does not serve `RunLoop.main`, which is Foundation's own: a `Timer.scheduledTimer`, or a block of
  /// `RunLoop.main.perform`, never comes while this runs. Use `foreground.every` and `foreground { }`
  /// instead, or `DispatchQueue.main`.
  ///
  /// While it runs, a write to a pipe or a socket whose other side has gone does not end the process, if it
  /// is made on this thread: it fails with `EPIPE`, and that is all. Unless the process has a handler
  /// for `SIGPIPE` or ignores it, this thread blocks it for that, and a program that a body starts
  /// here inherits that, if it is not given a mask of its own (`POSIX_SPAWN_SETSIGMASK`).
  ///
  /// Returns once everything accepted has been processed, or is named in the report; jobs of Swift
  /// Tasks that have reached this dispatcher by then have run as well, up to the shutdown's deadline. At
  /// once if the loop has ended already, in ``runUntilIdle(servesMainQueue:)`` for example. Traps inside a
  /// task (rule 18), and while another thread runs the loop.
  ///
  /// - Parameter servesMainQueue: Whether it does. Means nothing on any other thread.
  /// - Returns: What the shutdown left behind. What waited in `DispatchQueue.main` when that was made has
  ///   run; what came later is still there, for whoever serves it next.
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
  /// It blocks the signals that the main thread blocks, as the workers do: a program that a body starts
  /// can be stopped by `SIGTERM`. Of a write whose other side has gone, and of `SIGPIPE`, it holds what
  /// ``run(servesMainQueue:)`` says.
  ///
  /// The end comes by ``shutdown(_:)``, or by ``beginShutdown(_:)`` and ``waitForReport(timeout:)``.
  ///
  /// - Throws: ``UVError`` if the system has no room for another thread.
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

  /// Runs the loop on the calling thread until nothing is left that could run now, and no timer is
  /// due: what the fake's call of this name does. Then the loop stands still, and can be run again.
  ///
  /// Waits for background work that is running. If the dispatcher is shut down then, returns at the
  /// end of that, and the next ``run(servesMainQueue:)`` returns the report. Traps where that does.
  ///
  /// - Parameter servesMainQueue: As of ``run(servesMainQueue:)``. What waits in `DispatchQueue.main`
  ///   could run.
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

  /// - Parameter orReport: Whether it may find the loop ended, by an earlier call.
  /// - Returns: The report, if the loop has ended for good.
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

  /// Ends the loop for good, if there is nothing left for it. Nil if there is.
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
    // Whoever counted itself in flight has the loop's handle in its hands.
    wait { core.loop.inFlight == 0 && !core.mailbox.isBeingFetchedFor }
    unlock()
    loop.close()
    core.share.leave()
    return report
  }

  /// One turn: the main queue, timers that are due, then as much of the foreground's queue as the
  /// budget allows.
  func turn() {
    let core = lock()
    let wokenForPosts = core.wokenForPostsAt.exchange(.min, ordering: .relaxed)
    // Else it did not sleep, or the request for the wake-up has seen to that.
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
      // What bodies have just made ready is something that could run now.
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

  /// Frees the lock while it looks whether something comes for the foreground. To sleep and to be woken
  /// takes the loop and whoever wakes it microseconds each; in a stream of short tasks it would do
  /// so after every few.
  ///
  /// - Returns: For how long others had the processor when it gave way, in nanoseconds.
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

  /// Whether the report has been made and nothing else is left. Whatever is left wants another turn
  /// when it has ended.
  private func isOver(_ core: Core) -> Bool {
    core.hasNothingLeft && !awaitsMainActor(core)
  }

  /// Whether somebody who has awaited the end will come by the main queue.
  private func awaitsMainActor(_ core: Core) -> Bool {
    core.awaitersOnMainActor > 0 && core.shutdown?.report != nil && loop.expectsMainQueueToRun()
  }

  /// Runs what waits in `DispatchQueue.main`. Under the lock, which it frees meanwhile.
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

  /// Sets the loop's timer for the next deadline. Also if it was set for that before: libuv counts in
  /// milliseconds, and may have come a little early.
  private func setTimer(_ core: Core) {
    let next = core.nextDeadline
    guard next < .max || core.loop.timerIsSetFor < .max else { return }
    core.loop.timerIsSetFor = next
    // A sleep may have been asked to end at any instant, however long ago.
    let wait = next > core.now ? next - core.now : 0
    loop.setTimer(next == .max ? nil : wait)
  }

  /// Hands out the `uv_loop_t` under the foreground, for C libraries that bring handles of their own.
  ///
  /// Only in a task of the foreground, else it traps. Callbacks of libuv come on the loop's thread but
  /// are no tasks: what they need of the foreground they post there. A shutdown takes what they post
  /// while it drains, as it does what tasks post.
  ///
  /// Close what you put there, with `uv_close` in a task of the foreground, before the last one ends
  /// that a shutdown drains. The dispatcher traps when it ends and a handle is open, and names its kind.
  public func withLoop<Result>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (OpaqueLoop) throws -> Result
  ) rethrows -> Result {
    preconditionForeground(fileID: fileID, line: line)
    return try unsafe loop.withLoop { loop in try unsafe body(OpaqueLoop(loop)) }
  }
}
