public import TaskDispatch

extension UVDispatcher {
  public func beginShutdown(_ policy: ShutdownPolicy) {
    if ForkGuard.isForked { return }
    engine.withCore { begin(policy, $0) }
  }

  /// The report of the shutdown. Nil until there is one. Any thread.
  public var report: ShutdownReport? { engine.withCore { $0.closing.report } }

  /// Begins a shutdown, or shortens the one that goes on, waits for its report, and returns that.
  ///
  /// Any Task, and any number of them, which all get the same report. It comes when all accepted work has ended. At the
  /// latest it comes at the deadlines of `policy`, plus some 100 ms, plus about 2 us for each task that is cancelled.
  /// While no thread runs the loop, it comes at the last deadline. Cancelling the Task does not end the wait.
  ///
  /// If the caller is on the main actor, and ``run(servesMainQueue:)`` serves that, the caller resumes before `run`
  /// returns, and runs up to its next `await`.
  nonisolated(nonsending) public func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    await waitForReport { begin(policy, $0) }
  }

  /// Waits until other code has shut this dispatcher down, and returns what was left behind. It does not ask for a
  /// shutdown.
  ///
  /// Any number of Tasks may wait, as long as it takes, and at once if there is a report. Cancelling a Task does not
  /// end its wait.
  nonisolated(nonsending) public func waitForReport() async -> ShutdownReport {
    await waitForReport { _ in }
  }

  /// Blocks the calling thread until this dispatcher was shut down, and returns what was left behind.
  ///
  /// For a program that has called ``start()``, and whose main thread has nothing else to do. Any number of threads
  /// may wait, and the dispatcher does no work for a thread that waits.
  ///
  /// The report comes when all accepted work has ended. At the latest it comes at the deadlines of the shutdown, plus
  /// some 100 ms, plus about 2 us for each task that is cancelled.
  ///
  /// - Parameter timeout: How long to wait at most; nil for as long as it takes.
  /// - Throws: ``TaskDispatch/WaitRefusal/timedOut``. ``TaskDispatch/WaitRefusal/wouldDeadlock(chain:)`` on the
  ///   loop's thread, and in a task or a callback of this dispatcher: the shutdown waits for those.
  ///   ``TaskDispatch/WaitRefusal/refused(_:)`` in a forked child.
  @available(*, noasync, message: "it blocks its thread; use `await waitForReport()`")
  public func waitForReport(timeout: Duration? = nil) throws(WaitRefusal) -> ShutdownReport {
    if ForkGuard.isForked { throw .refused(.forkedChild) }
    if let report { return report }
    guard isOutside else { throw engine.deadlock("the end of its dispatcher") }
    let place = ReportPlace()
    let number: UInt64? = engine.withCore { core in
      if let report = core.closing.report {
        place.put(report)
        return nil
      }
      let number = core.accounts.next()
      core.closing.add(thread: number, place.put)
      return number
    }
    if let report = engine.whileBlocked({ place.wait(for: timeout) }) { return report }
    engine.withCore { $0.closing.remove(thread: number) }
    // The report may have come since the wait ended.
    if let report { return report }
    throw .timedOut
  }

  /// Whether the calling code is in no task and no callback of this dispatcher, and not on its loop's thread.
  private var isOutside: Bool {
    engine.innermostTask == nil && TaskContext.deliveries(for: ObjectIdentifier(self)) == 0
      && engine.withCore { !$0.loopThread.isCalling }
  }

  /// Under the lock: begins a shutdown, or shortens the one that goes on, and sees to its next deadline.
  private func begin(_ policy: ShutdownPolicy, _ core: Core) {
    core.beginShutdown(policy)
    guard let time = nextDeadline(core) else { return }
    if let deadline = core.closing.deadline {
      core.callbacks.appendWake { deadline.move(to: time) }
    } else {
      core.closing.setDeadline(ShutdownDeadline())
      startDeadline(core)
    }
  }

  /// Under the lock: starts a thread that sleeps until the next deadline. It starts before the callbacks of this
  /// section, since those may take their time.
  private func startDeadline(_ core: Core) {
    guard let deadline = core.closing.deadline, let time = nextDeadline(core) else { return }
    core.callbacks.appendWake {
      // If the system has no room for a thread, the loop keeps the deadline, as long as it is not blocked.
      try? deadline.start(named: self.engine.settings.label, at: time) { [weak self] in
        Engine.ofLiving(self) { engine in
          engine.withCore { core in
            core.advanceShutdown()
            engine.dispatcher.startDeadline(core)
          }
        }
      }
    }
  }

  /// The next deadline of the shutdown, in nanoseconds of the monotonic clock. Nil once there is a report. Under the
  /// lock.
  private func nextDeadline(_ core: Core) -> Int64? {
    guard let shutdown = core.closing.progress, let end = core.closing.endsAt,
      shutdown.report == nil
    else { return nil }
    return engine.monotonic(shutdown.drainIsOver(at: core.now) ? end : shutdown.drainUntil)
  }

  nonisolated(nonsending) private func waitForReport(
    _ begin: (Core) -> Void
  ) async -> ShutdownReport {
    let isOnMainActor = Self.isMain(#isolation)
    let report = await withCheckedContinuation { continuation in
      engine.withCore { core in
        if isOnMainActor { core.closing.addAwaiterOnMainActor() }
        begin(core)
        let resume: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = core.closing.report {
          core.callbacks.appendResume { resume(report) }
        } else {
          core.closing.add(task: resume)
        }
      }
    }
    if isOnMainActor {
      engine.withCore { core in
        core.closing.removeAwaiterOnMainActor()
        core.loop.want()
      }
    }
    return report
  }

  /// Never inlined: with the comparison in the asynchronous function, the optimiser of Swift 6.3.1 makes a broken
  /// module.
  @inline(never) private static func isMain(_ actor: (any Actor)?) -> Bool {
    actor === MainActor.shared
  }
}

/// Where a thread waits for a report.
private final class ReportPlace: @unchecked Sendable {
  private let monitor = Monitor()
  // Touched under `monitor`.
  private var report: ShutdownReport?

  /// Gives the waiting thread its report. Any thread.
  func put(_ report: ShutdownReport) {
    monitor.lock()
    self.report = report
    monitor.unlock()
  }

  /// Blocks the calling thread until there is a report.
  ///
  /// - Returns: Nil if `timeout` has passed first.
  func wait(for timeout: Duration?) -> ShutdownReport? {
    let end = timeout.map { monotonicNanoseconds().addingClamped(max(0, $0.clampedNanoseconds)) }
    monitor.lock()
    defer { monitor.unlock() }
    while report == nil, end.map({ monotonicNanoseconds() < $0 }) ?? true {
      monitor.wait(until: end)
    }
    return report
  }
}
