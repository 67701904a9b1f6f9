internal import Synchronization
internal import TaskDispatch

extension Core {
  /// The progress of a shutdown. Touched under the dispatcher's lock.
  final class Shutdown {
    enum Phase { case draining, cancelling, over }
    var phase = Phase.draining
    /// Until when accepted work may go on, in nanoseconds.
    var drainUntil: Int64
    /// Until when running bodies may go on after that, in nanoseconds.
    var cancelUntil: Int64
    /// When the report is made, whatever still runs. That is a little after ``cancelUntil``: in between, the loop's
    /// thread may come to make the report, and jobs of Swift Tasks may end.
    var endsAt: Int64 { cancelUntil.addingClamped(Self.grace) }
    /// In nanoseconds.
    static let grace: Int64 = 100_000_000
    var unfinished: [(order: UInt64, left: ShutdownReport.Unfinished)] = []
    var report: ShutdownReport?

    init(drainUntil: Int64, cancelUntil: Int64) {
      self.drainUntil = drainUntil
      self.cancelUntil = cancelUntil
    }

    func nextDeadline(after now: Int64) -> Int64 {
      if report != nil { return .max }
      return [drainUntil, cancelUntil, endsAt].first { $0 > now } ?? .max
    }
  }

  /// Begins a shutdown, or shortens the one that goes on.
  func beginShutdown(_ policy: ShutdownPolicy) {
    let drainUntil = instant.advanced(by: policy.drain)
    let cancelUntil = drainUntil.advanced(by: policy.cancel).nanoseconds
    loop.isWanted = true
    if shutdown != nil {
      // A later call can only shorten.
      shutdown!.drainUntil = min(shutdown!.drainUntil, drainUntil.nanoseconds)
      shutdown!.cancelUntil = min(shutdown!.cancelUntil, cancelUntil)
      advanceShutdown()
      return
    }
    // Threads that wait for room get none any more.
    blocked.flagAll()
    closeInboxes()
    settleTimers()
    shutdown = Shutdown(drainUntil: drainUntil.nanoseconds, cancelUntil: cancelUntil)
    awaitDeliveries(true)
    cancelTimers()
    for item in withoutRoom {
      ledger.accepted -= 1
      ledger.waiting -= 1
      item.place.stage = .nowhere
      endedPlain(task(for: item))
      refuse(item, .shutDown)
    }
    withoutRoom = []
    cancelSkipped()
    advanceShutdown()
  }

  private func cancelTimers() {
    for item in timers.removeAll() {
      item.place.stage = .nowhere
      endUnstarted(item, .cancelled)
    }
    stopTimersWithRun()
  }

  /// Takes the shutdown as far as it can go now.
  ///
  /// - Parameter isTurn: Whether the loop's thread calls this in an iteration. Before the deadline only that makes the
  ///   report: the thread has looked for signals and ready descriptors first.
  func advanceShutdown(isTurn: Bool = false) {
    guard let shutdown, shutdown.phase != .over else { return }
    guard loopRuns || now >= shutdown.drainUntil else { return }
    if now < shutdown.drainUntil {
      if hasWorkThatCanEnd { return }
      // A notification whose group has become empty may be on its way.
      if !outbox.isEmpty || wakesAtTheEnd.load(ordering: .acquiring) > 0 {
        loop.isWanted = true
        return
      }
    }
    if hasWorkThatCanEnd, shutdown.phase == .draining {
      shutdown.phase = .cancelling
      // From now on, threads of running bodies get no room either.
      blocked.flagAll()
      shutdownFlag.raise()
    }
    promotePlain()
    // Past the drain's deadline this cancels everything. Before it, only tasks are left that outside code could free.
    cancelWaiting { !$0.isJob && !$0.isCaller && !outlivesDrain($0) }
    if now >= shutdown.cancelUntil {
      // A task on this thread that asks for the end is about to come to its own.
      abandonRunning { task in
        !task.isJob && !task.isCaller && TaskFrame.first { $0 === task } == nil
      }
      turnCallersAway()
    } else if !hasWorkThatCanEnd {
      // Those of suspended views.
      turnCallersAway()
    }
    if now >= shutdown.endsAt { return concludeAtDeadline() }
    // Code that was just told of a cancellation may still bring work.
    guard isTurn, !hasWorkThatCanEnd, !isDelivering, outbox.isEmpty else { return }
    conclude()
  }

  private var hasWorkThatCanEnd: Bool {
    running.contains { !$0.isAbandoned } || blocked.admitted > 0 || hasForeground
      || !pool.background.queue.ready.isEmpty
      || views.contains { !$0.queue.isSuspended && !$0.queue.ready.isEmpty }
  }

  private func cancelWaiting(_ isWanted: (QueuedTask) -> Bool) {
    var waiting = held.all.map { task(for: $0) }
    forEachReady { waiting.append($0) }
    cancel(waiting.filter(isWanted))
  }

  /// Cancels the items that a shutdown is to skip, and makes no task object for others.
  private func cancelSkipped() {
    var skipped = held.all
    forEachEntry { if let item = $0.item { skipped.append(item) } }
    cancel(skipped.filter { $0.atShutdown == .skip }.map { task(for: $0) })
  }

  private func cancel(_ waiting: [QueuedTask]) {
    for task in waiting.sorted(by: { $0.order < $1.order }) where takeBack(task) {
      note(task, .neverStarted)
      endUnstarted(task, .cancelled)
    }
  }
}
