internal import TaskDispatch

/// A thread that sees to it that a shutdown's report comes at its deadline, also if the loop's thread is in a
/// body that never ends, or no thread runs the loop.
///
/// It sleeps until then, and ends with the shutdown. It does not keep the dispatcher.
final class ShutdownDeadline: Sendable {
  private let monitor = Monitor()
  private let state: State

  private final class State: @unchecked Sendable {
    // Touched under `monitor`.
    var time: Int64
    var isOver = false

    init(time: Int64) { self.time = time }
  }

  /// - Parameter time: In nanoseconds of the monotonic clock.
  init(at time: Int64) { state = State(time: time) }

  /// Starts the thread. Under no lock.
  ///
  /// - Throws: If the system has no room for another thread. Then the loop alone sees to the deadline.
  func start(named name: String, of dispatcher: UVDispatcher) throws(UVError) {
    try OwnThread.start(named: "\(name) end") { [weak dispatcher] in
      guard self.sleep() else { return }
      dispatcher?.withCore { $0.advanceShutdown() }
    }
  }

  /// Moves the deadline, which only comes nearer. Any thread.
  func move(to time: Int64) {
    monitor.lock()
    state.time = min(state.time, time)
    monitor.unlock()
  }

  /// Lets the thread end. Any thread; it may still be on its way when this returns.
  func end() {
    monitor.lock()
    state.isOver = true
    monitor.unlock()
  }

  /// - Returns: Whether the deadline has come, and the shutdown is not over.
  private func sleep() -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    while !state.isOver, monotonicNanoseconds() < state.time { monitor.wait(until: state.time) }
    return !state.isOver
  }
}
