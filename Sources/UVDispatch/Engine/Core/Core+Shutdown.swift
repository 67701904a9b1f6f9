internal import Synchronization
internal import TaskDispatch

extension Core {
  /// Begins a shutdown, or shortens the one that goes on.
  func beginShutdown(_ policy: ShutdownPolicy) {
    loop.want()
    if closing.hasBegun {
      _ = closing.begin(policy, at: instant)
      return advanceShutdown()
    }
    // Threads that wait for room get none any more.
    blocked.flagAll()
    closeInboxes()
    moveDueTimers()
    _ = closing.begin(policy, at: instant)
    doors.callbackCounts.addParty()
    cancelTimers()
    for item in standby.takeWithoutRoom() {
      accounts.takeBackAcceptance()
      item.place.stage = .nowhere
      endedPlain(task(for: item))
      refuse(item, .shutDown)
    }
    cancelSkipped()
    advanceShutdown()
  }

  private func cancelTimers() {
    for item in timers.removeAll() {
      item.place.stage = .nowhere
      endUnstarted(item, .cancelled)
    }
    timers.stopTicks(at: instant)
  }

  /// Takes the shutdown as far as it can go now.
  ///
  /// - Parameter isTurn: Whether the loop's thread calls this in an iteration. Before the deadline only that makes the
  ///   report: the thread has looked for signals and ready descriptors first.
  func advanceShutdown(isIteration: Bool = false) {
    guard let shutdown = closing.progress, shutdown.phase != .over else { return }
    guard loopRuns || shutdown.drainIsOver(at: now) else { return }
    if !shutdown.drainIsOver(at: now) {
      if hasWorkThatCanEnd { return }
      // A notification whose group has become empty may be on its way.
      if !callbacks.isEmpty || doors.callbackCounts.areWakingAtTheEnd {
        loop.want()
        return
      }
    }
    if hasWorkThatCanEnd, shutdown.phase == .draining {
      closing.beginCancelling()
      // From now on, threads of running bodies get no room either.
      blocked.flagAll()
      doors.shutdownFlag.raise()
    }
    materialisePlainTasks()
    // Past the drain's deadline this cancels everything. Before it, only tasks are left that outside code could free.
    cancelWaiting { !$0.isJob && !$0.isCaller && !outlivesDrain($0) }
    if shutdown.cancelIsOver(at: now) {
      // A task on this thread that asks for the end is about to come to its own.
      abandonRunning { task in
        !task.isJob && !task.isCaller && TaskContext.first { $0 === task } == nil
      }
      rejectCallers()
    } else if !hasWorkThatCanEnd {
      // Those of suspended views.
      rejectCallers()
    }
    if let end = closing.endsAt, now >= end { return concludeAtDeadline() }
    // Code that was just told of a cancellation may still bring work.
    guard isIteration, !hasWorkThatCanEnd, !isDelivering, callbacks.isEmpty else { return }
    conclude()
  }

  private var hasWorkThatCanEnd: Bool {
    running.contains { !$0.isAbandoned } || blocked.hasAdmitted || hasForeground
      || hasBackground
  }

  private func cancelWaiting(_ isWanted: (QueuedTask) -> Bool) {
    var waiting = standby.held.all.map { task(for: $0) }
    forEachReady { waiting.append($0) }
    cancel(waiting.filter(isWanted))
  }

  /// Cancels the items that a shutdown is to skip, and makes no task object for others.
  private func cancelSkipped() {
    var skipped = standby.held.all
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
