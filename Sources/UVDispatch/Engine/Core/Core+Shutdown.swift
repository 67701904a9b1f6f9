internal import TaskDispatch

/// How a shutdown goes on. Its phases and deadlines are ``ShutdownProgress``, which the fake uses too.
///
/// 1. *Begin* (``beginShutdown(_:)``). The inboxes are closed and drained, so that everything is submitted under the
///    lock from now on. Timers that are not due are cancelled, items that wait for room are refused, and items that a
///    shutdown is to skip are cancelled. Any thread may begin; a second call only shortens the deadlines.
/// 2. *Draining*. What was accepted runs. Running bodies, other code on the loop's thread and deferred callbacks may
///    submit more (``refusal(isTimer:isFromOwnWork:)``), but no timers.
/// 3. *Cancelling*. At the first deadline, if work is left: what has not started is cancelled, except jobs, callers of
///    `sync` and calls for signals (a second signal may ask for an end at once). Timers that are owed runs get none.
///    ``CurrentTask/isCancelled`` becomes true in running bodies.
/// 4. *Giving up*. At the second deadline, or with the report if the loop's thread cannot act then, running bodies are
///    abandoned: they have their outcome, and nothing waits for them. Jobs, bodies of `sync` and tasks on the calling
///    thread have ``Closing/grace`` more; then those are abandoned too. Callers of `sync` are rejected.
/// 5. *Over* (``conclude()``). All handlers are removed, and the report is made. Threads that wait for it are woken
///    first, then the Tasks that await it. Jobs that still wait go on outside the dispatcher (*stranded*), since a job
///    cannot be refused. So do jobs that come later to a queue that is over: ``strandsJobs(on:_:)``, ``LateJobs``.
/// 6. *The loop ends* when nothing is left that could use it (``hasNothingLeft``), and is closed when no thread is
///    about to wake it (`Engine.leaveLoop()`).
///
/// With work left, time is what takes it further. Without, what only other code could set free (suspended views,
/// notifications) is cancelled, and it goes from any phase to the report. While no thread runs the loop, nothing goes
/// on before the first deadline. Before the last one only the loop's thread makes the report, in an iteration: it has
/// looked for signals and ready descriptors first. At ``Closing/endsAt`` any thread does, since the loop's thread may
/// be in a body that never ends. ``ShutdownDeadline`` has a thread for that.
///
/// A submission that races with the beginning comes before or after the closing and draining of its inbox in step 1.
/// Before: it is drained. After: it is turned back there, takes the dispatcher's lock, and is accepted or refused
/// there. Neither is lost.
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
      leaveRoomLine(item)
      accounts.takeBackAcceptance()
      item.stage = .nowhere
      endedPlain(task(for: item))
      refuse(item, .shutDown)
    }
    cancelSkipped()
    advanceShutdown()
  }

  private func cancelTimers() {
    for item in timers.removeAll() {
      item.stage = .nowhere
      endUnstarted(item, .cancelled)
    }
    timers.stopTicks(at: instant)
  }

  /// Takes the shutdown as far as it can go now.
  ///
  /// - Parameter isIteration: Whether the loop's thread calls this in an iteration. Before the deadline only that makes
  ///   the report: the thread has looked for signals and ready descriptors first.
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
      timers.dropOwedRuns()
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
    // Each that is cancelled may let in one that waits for room: the list has both.
    var waiting = standby.all.map { task(for: $0) }
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
