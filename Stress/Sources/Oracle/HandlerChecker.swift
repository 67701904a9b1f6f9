/// Checks the calls of one handler of a signal or a descriptor: how many may still begin once the
/// handler was ended.
public final class HandlerChecker: Sendable {
  private struct State {
    /// How many calls may still begin; nil for any number.
    var left: Int?
    /// What has ended the handler.
    var end = ""
    var isLetGo = false
  }

  public let name: String
  let violations: ViolationLog
  private let state = Locked(State())

  /// - Parameter name: The handler's name, for people.
  public init(_ name: String, violations: ViolationLog) {
    self.name = name
    self.violations = violations
  }

  /// A call of the handler begins, on the calling thread.
  public func begins() {
    state.withLock { state in
      guard let left = state.left else { return }
      if left == 0 {
        violations.report(.events, nil, "\(name) was called after \(state.end)")
      } else {
        state.left = left - 1
      }
    }
  }

  /// The calling thread is about to cancel the handler.
  public func cancels() { state.withLock { $0.isLetGo = true } }

  /// A cancellation has returned. After it no call begins for the dispatcher. A call that had begun for
  /// the dispatcher may not have come to its first instruction, unless the cancelling thread is the
  /// loop's own.
  public func cancelled(onForeground: Bool) {
    onForeground
      ? allow(0, after: "it was cancelled on the foreground")
      : allow(1, after: "it was cancelled elsewhere, and a call that had begun")
  }

  /// The descriptor was closed and the handler was not cancelled. One call may have been on its way.
  public func closed() {
    state.withLock { $0.isLetGo = true }
    allow(1, after: "its descriptor was closed, and a call that was on its way")
  }

  /// The report of the dispatcher's shutdown is there.
  public func reported() { allow(0, after: "the report of a shutdown") }

  /// Whether no thread has begun to end the handler.
  var isKept: Bool { state.withLock { !$0.isLetGo } }

  private func allow(_ calls: Int, after end: String) {
    state.withLock { state in
      if let left = state.left, left <= calls { return }
      (state.left, state.end) = (calls, end)
    }
  }
}
