import TaskDispatch

/// A shutdown (rule 13).
extension SteppedState {
  mutating func beginShutdown(_ policy: ShutdownPolicy) {
    let isFirst = phase == .none
    let drain = now.advanced(by: policy.drain)
    // A later call can only shorten the deadlines.
    if isFirst { (drainUntil, cancelUntil) = (drain, drain.advanced(by: policy.cancel)) }
    drainUntil = min(drainUntil, drain)
    cancelUntil = min(cancelUntil, drain.advanced(by: policy.cancel))
    guard isFirst else { return }
    phase = .draining
    let notDue = timers
    timers = []
    for timer in notDue { endUnstarted(timer.task, .cancelled) }
    for timer in timersWithRun { timer.taken.asTimer?.stopTicks(at: now) }
    refuseThoseWithoutRoom()
    cancelWaiting { $0.taken.item.atShutdown == .skip }
  }

  /// Takes a shutdown as far as it goes now.
  ///
  /// - Parameter mayConclude: Whether no task and no callback of this dispatcher is on the thread.
  /// - Returns: Whether it has gone further. Then there may be news, and then more to do.
  mutating func advanceShutdown(mayConclude: Bool) -> Bool {
    switch phase {
    case .none, .over: return false
    case .draining:
      let isOver = now >= drainUntil
      if hasWork, !isOver { return false }
      if hasWork {
        phase = .cancelling
        for timer in timersWithRun { timer.taken.asTimer?.dropOwedRuns() }
        shutdownFlag.raise()
      }
      // If no work is left, what only other code could free is cancelled: it is in suspended views, or held.
      let waited = ledger.waiting
      cancelWaiting { _ in true }
      if phase == .cancelling || ledger.waiting != waited { return true }
    case .cancelling:
      cancelWaiting { _ in true }
      if now >= cancelUntil { abandonRunning() }
    }
    guard !hasWork, mayConclude, news == nil else { return false }
    conclude()
    return true
  }

  /// Whether something is left that ends by running.
  private var hasWork: Bool {
    lines.contains { line in
      line.running.contains { !$0.isAbandoned } || line.suspensions == 0 && !line.waiting.isEmpty
    }
  }

  private mutating func conclude() {
    phase = .over
    let made = ShutdownReport(ledger: ledger, unfinished: unfinished)
    report = made
    for waiter in reportWaiters { resumeLater { waiter(made) } }
    reportWaiters = []
  }

  /// Refuses the items that wait for room, and takes back that they were counted as accepted.
  private mutating func refuseThoseWithoutRoom() {
    let waiting = waitingForRoom
    waitingForRoom = []
    for task in waiting {
      ledger.accepted -= 1
      ledger.waiting -= 1
      noteEnd(of: task)
      refuse(task, .shutDown)
    }
  }

  /// Cancels what has not started, if it `matches`. Jobs go on: they cannot be refused.
  private mutating func cancelWaiting(_ matches: (SteppedTask) -> Bool) {
    let waiting = lines.flatMap(\.waiting) + held + waitingForRoom
    let cancelled = waiting.filter { !$0.isSwiftTask && matches($0) }.sorted {
      $0.number < $1.number
    }
    for task in cancelled {
      guard let task = takeBack(task.taken.item) else { continue }
      note(task, .neverStarted)
      endUnstarted(task, .cancelled)
    }
  }

  /// Gives up the bodies that still run. Jobs go on.
  private mutating func abandonRunning() {
    for task in running where !task.isSwiftTask && !task.isAbandoned {
      task.isAbandoned = true
      note(task, .abandoned)
      ledger.running -= 1
      ledger.count(.abandoned)
      tell(.finished(.abandoned), task)
      noteEnd(of: task)
      endTimer(ofRun: task)
      end(task.taken, .abandoned)
    }
  }

  private mutating func note(_ task: SteppedTask, _ state: ShutdownReport.Unfinished.State) {
    unfinished.append(
      ShutdownReport.Unfinished(
        label: task.label, queue: task.queueLabel, site: task.site,
        age: task.enqueuedAt.duration(to: now),
        thread: state == .abandoned ? "the thread that steps" : nil, state: state))
  }

  /// Takes out everything that waits, when the dispatcher goes away.
  mutating func removeAll() -> [SteppedTask] {
    var left = held + waitingForRoom + timers.map(\.task) + timersWithRun
    for timer in timersWithRun { timer.taken.asTimer?.forgetRun() }
    (held, waitingForRoom, timers, timersWithRun) = ([], [], [], [])
    for line in lines {
      left += line.waiting
      line.removeAll()
    }
    forgetEmptyLines()
    return left.sorted { $0.number < $1.number }
  }
}
