internal import TaskDispatch

/// A thread that looks for bodies that keep their thread for too long, and tells the observer.
///
/// While anything runs, it sleeps for a threshold at a time. While nothing runs it is *parked*, and does not wake up
/// (rule 16). The thread that starts the next body wakes it. Without an observer there is no watchdog.
final class Watchdog: Sendable {
  private let monitor = Monitor()
  private let state = State()

  private final class State: @unchecked Sendable {
    // Touched under `monitor`.
    var wakes = 0
    var isOver = false
  }

  func start(named name: String, watching dispatcher: UVDispatcher) throws(UVError) {
    try OwnThread.start(named: "\(name) watch") { [weak dispatcher] in
      self.watch { Engine.ofLiving(dispatcher) { $0.lookForStalls() } }
    }
  }

  /// Lets a parked watchdog look again. Call it under no lock.
  func wake() {
    monitor.lock()
    state.wakes += 1
    monitor.unlock()
  }

  /// Ends the thread. Any thread may call it. The watchdog may still be looking when this returns.
  func end() {
    monitor.lock()
    state.isOver = true
    monitor.unlock()
  }

  /// - Parameter look: Looks once, and returns when to look again, in nanoseconds of the monotonic clock. An inner nil
  ///   parks the watchdog until ``wake()``. An outer nil ends it: there is no dispatcher any more.
  private func watch(_ look: () -> Int64??) {
    while true {
      monitor.lock()
      let seen = state.wakes
      monitor.unlock()
      guard let next = look() else { return }
      monitor.lock()
      while !state.isOver, state.wakes == seen, next.map({ monotonicNanoseconds() < $0 }) ?? true {
        monitor.wait(until: next)
      }
      let isOver = state.isOver
      monitor.unlock()
      if isOver { return }
    }
  }
}

extension Engine {
  /// Tells the observer of every body that has kept its thread for the threshold, and again each time that this time
  /// has doubled.
  ///
  /// - Returns: When to look again, on the monotonic clock; nil if nothing runs.
  fileprivate func lookForStalls() -> Int64? {
    withCore { core -> Int64? in
      let threshold = settings.stallThreshold.clampedNanoseconds
      var next = Int64.max
      for task in core.running.all {
        let held = core.now - task.startedAt
        if task.nextStall == 0 { task.nextStall = threshold }
        if held >= task.nextStall {
          core.tell(.stalled(.nanoseconds(held)), task)
          while task.nextStall <= held {
            task.nextStall = task.nextStall.addingClamped(task.nextStall)
          }
        }
        next = min(next, task.startedAt.addingClamped(task.nextStall))
      }
      guard !core.running.isEmpty else {
        core.observation.parkWatchdog()
        return nil
      }
      // Another body may begin before that. It must not wait as long as one that was told of already.
      return monotonic(min(next, core.now.addingClamped(threshold)))
    }
  }
}
