internal import TaskDispatch

/// Bodies, and callbacks, that keep their thread for too long.
extension Core {
  /// Looks at all that runs, and defers reports of what has stalled.
  ///
  /// - Parameter stack: Takes the stack of the thread of a stall. Called under no lock, just before the reports.
  /// - Returns: When the next look is due, in nanoseconds; nil if the first body that starts wakes the watchdog.
  func lookForStalls(_ stack: @escaping (Stall.Facts) -> StackTrace?) -> Int64? {
    stalls.beginLook()
    deferReportsOfEnds()
    for task in running.all {
      let began = isObserved ? task.startedAt : nil
      guard
        let held = stalls.see(.task(task.id), on: task.lane, since: began, at: now)
      else { continue }
      task.isWatched = true
      tell(.stalled(.nanoseconds(held)), task)
      deferReport(of: facts(of: task, held, isOver: false), stack)
    }
    for thread in running.telling {
      guard
        let held = stalls.see(.callbacks(thread.number), on: thread.lane, since: nil, at: now)
      else { continue }
      deferReport(of: facts(of: thread, held, isOver: false), stack)
    }
    let next = stalls.endLook(numbered: accounts.lastNumber, at: now)
    // What comes after these on their threads has to wake the watchdog, so they are ended alone.
    if stalls.isParked { for task in running.all { task.isWatched = true } }
    return next
  }

  /// A body starts, or callbacks after one. Wakes the watchdog if that is parked.
  @inline(__always) func noteStartForWatchdog() { if stalls.isParked { unparkWatchdog() } }

  @inline(never) private func unparkWatchdog() {
    stalls.unpark()
    let watchdog = stalls.watchdog
    callbacks.appendWake { watchdog.wake() }
  }

  /// The body of a task has returned.
  @inline(__always) func noteEndForWatchdog(of task: RunningTask) {
    if task.isWatched { noteEndOfStall(of: task) }
  }

  @inline(never) private func noteEndOfStall(of task: RunningTask) {
    task.isWatched = false
    guard let held = stalls.end(.task(task.id), at: now) else { return }
    tellEnd(of: facts(of: task, held, isOver: true))
  }

  /// The calling thread makes callbacks after the end of a task, until ``endTelling(_:)``.
  ///
  /// - Returns: The number that ``endTelling(_:)`` needs.
  func beginTelling(on lane: Lane) -> UInt64 {
    noteStartForWatchdog()
    return running.beginTelling(on: lane, by: TaskContext.callingThread)
  }

  func endTelling(_ number: UInt64) {
    let thread = running.endTelling(number)
    guard stalls.toldCount > 0, let held = stalls.end(.callbacks(number), at: now) else { return }
    tellEnd(of: facts(of: thread, held, isOver: true))
  }

  /// The watchdog's thread makes all reports. So they come one after the other, and in no task; and a receiver that takes
  /// its time keeps no thread that runs bodies.
  private func tellEnd(of stall: Stall.Facts) {
    if observation.stallReceivers.isEmpty { return }
    stalls.append(ended: stall)
    let watchdog = stalls.watchdog
    callbacks.appendWake { watchdog.wake() }
  }

  /// Defers the reports of stalls that are over and were not told of. At the end of the dispatcher.
  func deferReportsOfEnds() {
    for stall in stalls.takeEnded() { deferReport(of: stall) { _ in nil } }
  }

  /// Whether what has stalled still keeps its thread.
  func goesOn(_ stall: Stall.Facts) -> Bool {
    switch stall.occupant {
    case .task(let id): running.contains { $0.id == id }
    case .callbacks(let number): running.telling.contains { $0.number == number }
    }
  }

  private func deferReport(
    of stall: Stall.Facts, _ stack: @escaping (Stall.Facts) -> StackTrace?
  ) {
    let receivers = observation.stallReceivers
    guard !receivers.isEmpty else { return }
    callbacks.append {
      let stall = Stall(stall, stack(stall))
      for receiver in receivers { receiver.report(stall) }
    }
  }

  private func facts(of task: RunningTask, _ held: Int64, isOver: Bool) -> Stall.Facts {
    Stall.Facts(
      occupant: .task(task.id), task: task.record, lane: task.lane, thread: task.thread,
      nanoseconds: held, isOver: isOver,
      time: instant)
  }

  private func facts(
    of telling: RunningTasks.Telling, _ held: Int64, isOver: Bool
  ) -> Stall.Facts {
    Stall.Facts(
      occupant: .callbacks(telling.number), task: nil, lane: telling.lane, thread: telling.thread,
      nanoseconds: held, isOver: isOver,
      time: instant)
  }
}
