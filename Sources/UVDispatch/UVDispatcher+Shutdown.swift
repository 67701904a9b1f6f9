public import TaskDispatch

extension UVDispatcher {
  public func beginShutdown(_ policy: ShutdownPolicy) {
    if ForkGuard.isForked { return }
    withCore { begin(policy, $0) }
  }

  public var report: ShutdownReport? { withCore { $0.shutdown?.report } }

  /// See the requirement. A caller on the main actor has gone on before ``run(servesMainQueue:)``
  /// returns, up to where it awaits something else, if that serves the main actor.
  nonisolated(nonsending) public func shutdown(_ policy: ShutdownPolicy) async -> ShutdownReport {
    await waitForReport { begin(policy, $0) }
  }

  /// Waits until this dispatcher was shut down by other code, and returns what was left. As
  /// ``shutdown(_:)``, without asking for it. Any number of Tasks; cancelling one does not end its wait.
  nonisolated(nonsending) public func waitForReport() async -> ShutdownReport {
    await waitForReport { _ in }
  }

  /// Blocks the calling thread until this dispatcher was shut down, and returns what was left. For a program
  /// that has called ``start()``, and whose main thread has nothing else to do.
  ///
  /// The report comes when all accepted work has ended, and not later than the deadlines of the shutdown, some
  /// 100 ms, and about 2 us for each task that is cancelled. Any number of threads may wait. The wait costs the
  /// dispatcher nothing.
  ///
  /// - Parameter timeout: For how long it waits at most; nil for as long as it takes.
  /// - Throws: ``TaskDispatch/WaitRefusal/timedOut``. ``TaskDispatch/WaitRefusal/wouldDeadlock(chain:)`` in a
  ///   task or a callback of this dispatcher, which the end itself waits for. In a forked child it is
  ///   refused, unless there is a report.
  @available(*, noasync, message: "it blocks its thread; use `await waitForReport()`")
  public func waitForReport(timeout: Duration? = nil) throws(WaitRefusal) -> ShutdownReport {
    if ForkGuard.isForked { throw .refused(.forkedChild) }
    if let report { return report }
    guard isOutside else { throw deadlock("the end of its dispatcher") }
    let place = ReportPlace()
    let number: UInt64? = withCore { core in
      if let report = core.shutdown?.report {
        place.put(report)
        return nil
      }
      core.lastID += 1
      core.threadsForReport.append((core.lastID, place.put))
      return core.lastID
    }
    if let report = whileBlocked({ place.wait(for: timeout) }) { return report }
    withCore { $0.threadsForReport.removeAll { $0.number == number } }
    // It may have come just now.
    if let report { return report }
    throw .timedOut
  }

  /// Whether the calling code is in no task and no callback of this dispatcher, and not on its loop's thread.
  private var isOutside: Bool {
    innermostTask == nil && TaskFrame.deliveries(for: ObjectIdentifier(self)) == 0
      && withCore { !$0.isOnLoopThread }
  }

  /// Under the lock.
  private func begin(_ policy: ShutdownPolicy, _ core: Core) {
    core.beginShutdown(policy)
    guard let time = nextDeadline(core) else { return }
    if let deadline = core.shutdownDeadline {
      core.outbox.appendWake { deadline.move(to: time) }
    } else {
      core.shutdownDeadline = ShutdownDeadline()
      startDeadline(core)
    }
  }

  /// Under the lock. Before any callback of the section, which may take its time.
  private func startDeadline(_ core: Core) {
    guard let deadline = core.shutdownDeadline, let time = nextDeadline(core) else { return }
    core.outbox.appendWake {
      // Without room for a thread, the loop sees to the deadline if it can.
      try? deadline.start(named: self.settings.label, at: time) { [weak self] in
        self?.withCore { core in
          core.advanceShutdown()
          self?.startDeadline(core)
        }
      }
    }
  }

  /// Of the monotonic clock. Nil once there is a report.
  private func nextDeadline(_ core: Core) -> Int64? {
    guard let shutdown = core.shutdown, shutdown.report == nil else { return nil }
    return monotonic(core.now < shutdown.drainUntil ? shutdown.drainUntil : shutdown.endsAt)
  }

  nonisolated(nonsending) private func waitForReport(
    _ begin: (Core) -> Void
  ) async -> ShutdownReport {
    let isOnMainActor = Self.isMain(#isolation)
    let report = await withCheckedContinuation { continuation in
      withCore { core in
        if isOnMainActor { core.awaitersOnMainActor += 1 }
        begin(core)
        let resume: @Sendable (ShutdownReport) -> Void = { continuation.resume(returning: $0) }
        if let report = core.shutdown?.report {
          core.outbox.appendResume { resume(report) }
        } else {
          core.tasksForReport.append(resume)
        }
      }
    }
    if isOnMainActor {
      withCore { core in
        core.awaitersOnMainActor -= 1
        core.loop.isWanted = true
      }
    }
    return report
  }

  /// Never inlined: of the comparison in the asynchronous function, Swift 6.3.1 makes a broken module
  /// when it optimises.
  @inline(never) private static func isMain(_ actor: (any Actor)?) -> Bool {
    actor === MainActor.shared
  }
}

/// Where a thread waits for a report.
private final class ReportPlace: @unchecked Sendable {
  private let monitor = Monitor()
  // Touched under `monitor`.
  private var report: ShutdownReport?

  func put(_ report: ShutdownReport) {
    monitor.lock()
    self.report = report
    monitor.unlock()
  }

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
