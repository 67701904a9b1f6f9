internal import TaskDispatch

/// The loop's iterations.
extension Engine {
  /// Runs one iteration of the loop: the main queue, timers that are due, events, then as much of the foreground's
  /// queue as the time budget allows.
  func iterate() {
    lock()
    let wokenForPosts = doors.hints.takeWakeForPosts()
    // If the loop was woken by ``LoopWakeups/request(at:)``, that has adjusted the spin limit. If the loop did not
    // sleep, there is nothing to learn.
    if !core.loop.beginIteration() {
      core.loop.spinLimit.learn(at: wokenForPosts ?? core.now)
    }
    if loop.hasMainQueueWork(looks: core.closing.hasBegun), core.mayServeMainQueue {
      serveMainQueue(core)
    }
    core.moveDueTimers()
    if core.awaitsEvents || loop.mayBeReady {
      queueEventCalls(core, looks: core.leavesWhenIdle)
    }
    core.advanceShutdown(isIteration: true)
    tellIfDue(core, isWorker: false)
    runForeground(core)
    let again = endIteration(core)
    loop.comesRoundAgain(again)
    if !again { setTimer(core) }
    core.loop.endIteration(again: again)
    unlock()
  }

  /// Runs as much of the foreground's queue as the budget allows. Under the lock, which it frees while bodies run.
  @inline(__always) private func runForeground(_ core: Core) {
    var budget = TimeBudget(
      nanoseconds: settings.loopBudget.time.clampedNanoseconds, from: core.now)
    var left = settings.loopBudget.tasks
    var mayLookOnce = true
    var away: Int64 = 0
    while left > 0 {
      if let begun = core.takeForeground(loopContext) {
        let isUsedUp = run(consume begun, in: loopContext, core, within: &budget, left: &left)
        core.renewIfKnown(&loopContext)
        tellIfDue(core, isWorker: false)
        if isUsedUp { break }
        mayLookOnce = true
      } else if !core.callbacks.isEmpty {
        tellIfDue(core, isWorker: false)
      } else if mayLookOnce, core.loopMaySearch,
        core.loop.spinLimit.allowsSearch(at: core.now, away: away)
      {
        mayLookOnce = false
        away = lookForForeground(core)
      } else {
        break
      }
    }
  }

  /// Ends an iteration, and stops the loop if there is nothing left for it.
  ///
  /// - Returns: Whether another iteration follows at once. If not, the foreground's inbox is idle: the next post wakes
  ///   the loop.
  private func endIteration(_ core: Core) -> Bool {
    var again = core.hasForeground || core.loop.isWanted || !doors.foreground.tryGoIdle()
    if !again, core.leavesWhenIdle {
      // A descriptor that these bodies have made ready is work that could run now.
      if core.awaitsEvents { queueEventCalls(core, looks: true) }
      again = core.hasForeground || loop.hasMainQueueWork(looks: true) && core.mayServeMainQueue
    }
    if core.closing.report != nil {
      if !again || core.closing.isPastDeadline(at: core.now), isOver(core) { loop.stop() }
    } else if !again, core.leavesWhenIdle, core.isIdle {
      loop.stop()
    }
    return again
  }

  /// Frees the lock, and spins while it looks for new work for the foreground.
  ///
  /// To sleep and to be woken takes the loop's thread and the thread that wakes it some microseconds each. In a
  /// stream of short tasks that would happen every few tasks.
  ///
  /// - Returns: For how long, at most, other threads had the processor when this one yielded it, in nanoseconds.
  private func lookForForeground(_ core: Core) -> Int64 {
    let (began, length) = (core.now, core.loop.spinLimit.length)
    core.loop.beginSpin()
    doors.hints.setLoopMustLook(false)
    unlock()
    let search = spin(nanoseconds: length) {
      doors.foreground.mayHoldEntries || doors.hints.loopMustLook
    }
    lock()
    core.loop.endSpin()
    if !search.hasFound { core.loop.spinLimit.noteInVain(since: began) }
    return search.away
  }

  /// Whether the report was made and nothing else is left. Whatever is left asks for another iteration when it ends.
  private func isOver(_ core: Core) -> Bool {
    core.hasNothingLeft && !awaitsMainActor(core)
  }

  /// Whether a Task that has awaited the end will still resume on the main queue.
  private func awaitsMainActor(_ core: Core) -> Bool {
    core.closing.isAwaitedOnMainActor
      && loop.expectsMainQueueToRun()
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

  /// Ends the loop for good, if nothing is left for it.
  ///
  /// - Returns: The report. Nil if the loop has to go on.
  func leaveLoop() -> ShutdownReport? {
    let core = lock()
    guard let report = core.closing.report, isOver(core) else {
      core.loop.want()
      unlock()
      return nil
    }
    core.loop.end()
    core.loopThread.leave()
    core.strandLateJobs()
    // A thread that is counted as in flight is about to wake the loop, or does so now. The loop must stay open for
    // it.
    wait { core.loop.inFlight == 0 && !doors.foreground.isNotifying }
    unlock()
    loop.close()
    core.share.leave()
    return report
  }
}
