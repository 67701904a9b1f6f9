internal import TaskDispatch

/// A thread that looks for bodies which hold their thread for too long, and tells the observer.
///
/// It sleeps for a threshold at a time while anything runs. While nothing does it is *parked*, and
/// wakes nobody (rule 16); the first body that starts then wakes it. Without an observer there is no
/// such thread.
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
      self.watch { dispatcher?.lookForStalls() }
    }
  }

  /// Lets a parked watchdog look again. Under no lock.
  func wake() {
    monitor.lock()
    state.wakes += 1
    monitor.unlock()
  }

  /// Lets the thread end. Any thread; it may still be looking when this returns.
  func end() {
    monitor.lock()
    state.isOver = true
    monitor.unlock()
  }

  /// - Parameter look: When to look again, in nanoseconds of the monotonic clock; nil to park until
  ///   ``wake()``.
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

extension UVDispatcher {
  /// Tells of every body that has held its thread for the threshold, and again each time that this
  /// has doubled.
  ///
  /// - Returns: When to look again; nil if nothing runs.
  fileprivate func lookForStalls() -> Int64?? {
    withCore { core -> Int64?? in
      let threshold = settings.stallThreshold.clampedNanoseconds
      var next = Int64.max
      for task in core.running {
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
        core.watchdogIsParked = true
        return .some(nil)
      }
      // Another body may begin before that, and must not wait for those that were told of.
      return .some(monotonic(min(next, core.now.addingClamped(threshold))))
    }
  }
}
