internal import TaskDispatch

/// Threads that act when the drain of a shutdown is over, and when its report is due. They do so also while the loop's
/// thread is in a body or a callback that never ends, or while no thread runs the loop. At the end of the cancel phase
/// only the loop's thread acts; without it, what is due then happens with the report.
///
/// Each thread sleeps until one deadline. What it does then may end in callbacks, which may take their time: so it
/// first leaves the next deadline to another thread. The threads end with the shutdown, and do not keep the
/// dispatcher.
package final class ShutdownDeadline: Sendable {
  private let monitor = Monitor()
  private let state = State()

  private final class State: @unchecked Sendable {
    // Touched under `monitor`.
    /// The nearest deadline that has not come.
    var time = Int64.max
    var isOver = false
  }

  package init() {}

  /// Starts a thread that sleeps until the deadline, and then calls `perform`. Call it under no lock.
  ///
  /// - Parameter time: In nanoseconds of the monotonic clock.
  /// - Throws: ``UVError`` if the system has no room for another thread. Then the loop alone sees to the deadline.
  package func start(
    named name: String, at time: Int64, _ perform: @escaping @Sendable () -> Void
  ) throws(UVError) {
    move(to: time)
    try OwnThread.start(named: name, role: "end") {
      if self.sleep() { perform() }
    }
  }

  /// Moves the deadline to `time`, if that is nearer. Any thread may call it.
  func move(to time: Int64) {
    monitor.lock()
    state.time = min(state.time, time)
    monitor.unlock()
  }

  /// Ends the thread. Any thread may call it. The ended thread may still be on its way when this returns.
  package func end() {
    monitor.lock()
    state.isOver = true
    monitor.unlock()
  }

  /// - Returns: Whether the deadline has come, and the shutdown is not over.
  private func sleep() -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    while !state.isOver, monotonicNanoseconds() < state.time { monitor.wait(until: state.time) }
    state.time = .max
    return !state.isOver
  }
}
