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
        engine.loop.run()
        if let report = engine.leaveLoop() { return report }
      }
    }
  }

  private func onThisThread<Result>(servesMainQueue: Bool, _ body: () -> Result) -> Result {
    engine.withCore { $0.loopThread.enter() }
    return BrokenPipes.withHeldBack {
      guard servesMainQueue && MainQueue.isOnItsThread, (try? MainQueue.prepare()) != nil else {
        return engine.whileBlocked(body)
      }
      return engine.whileBlocked { engine.loop.servingMainQueue(body) }
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
      try OwnThread.start(named: engine.settings.label, runsBodies: true) {
        self.engine.withCore { $0.loopThread.enter() }
        BrokenPipes.withHeldBack {
          while true {
            self.engine.loop.run()
            if self.engine.leaveLoop() != nil { return }
          }
        }
      }
    } catch {
      engine.withCore { $0.loopThread.leave() }
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
    engine.withCore { core in
      core.leaveWhenIdle(true)
      core.loop.want()
    }
    onThisThread(servesMainQueue: servesMainQueue) { runLoopUntilIdle() }
  }

  private func runLoopUntilIdle() {
    while true {
      engine.loop.run()
      let leaves = engine.withCore { core -> Bool in
        guard core.leavesWhenIdle else { return true }
        guard core.isIdle || core.closing.report != nil else { return false }
        core.leaveWhenIdle(false)
        return true
      }
      if leaves { break }
    }
    if engine.withCore({ $0.closing.report }) != nil {
      while engine.leaveLoop() == nil { engine.loop.run() }
    } else {
      engine.withCore { $0.loopThread.leave() }
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
    if let task = engine.currentTask {
      refuse(
        "\(call) inside a task: \(task.record) is running on this thread; submit what should run, "
          + "or call it outside any task")
    }
    return engine.withCore { core in
      if orReport, core.loop.isOver { return core.closing.report }
      require(
        !core.loop.isOver, "\(call) after the end: this dispatcher was shut down; make another")
      require(
        !core.loopRuns,
        "\(call) while the loop runs already: a dispatcher has one loop, so post to it")
      core.loopThread.claim()
      core.loop.want()
      return nil
    }
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
    return try unsafe engine.loop.withLoop { loop in try unsafe body(OpaqueLoop(loop)) }
  }
}
