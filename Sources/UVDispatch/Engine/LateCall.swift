internal import TaskDispatch

/// A call on a thread of its own, some time later: for what must happen although the loop, the workers and Swift's own
/// pool are all stuck.
package final class LateCall: Sendable {
  private let monitor = Monitor()
  // Under the monitor's lock.
  @safe nonisolated(unsafe) private var isCancelled = false

  private init() {}

  /// - Parameter name: Of the thread, at most 15 bytes of it.
  /// - Throws: If the system has no room for another thread.
  package static func start(
    named name: String, after delay: Duration, _ body: @escaping @Sendable () -> Void
  ) throws(UVError) -> LateCall {
    let call = LateCall()
    let time = monotonicNanoseconds().addingClamped(max(0, delay.clampedNanoseconds))
    try OwnThread.start(named: name) { if call.waits(until: time) { body() } }
    return call
  }

  /// Lets the thread end, if it has not called yet. Any thread, any number of times.
  package func cancel() {
    monitor.lock()
    isCancelled = true
    monitor.unlock(telling: true)
  }

  /// - Returns: Whether the time has come, and the call is still wanted.
  private func waits(until time: Int64) -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    while !isCancelled, monotonicNanoseconds() < time { monitor.wait(until: time) }
    return !isCancelled
  }
}
