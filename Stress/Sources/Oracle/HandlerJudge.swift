/// Watches the calls of one handler of a signal or a descriptor: how many may still come once somebody
/// has ended it.
public final class HandlerJudge: Sendable {
  private struct State {
    /// How many calls may still begin; nil for any number.
    var left: Int?
    /// What has ended it.
    var end = ""
    var isLetGo = false
  }

  public let name: String
  let court: Court
  private let state = Locked(State())

  /// - Parameter name: Of the handler, for people.
  public init(_ name: String, court: Court) {
    self.name = name
    self.court = court
  }

  /// A call begins, on the calling thread.
  public func begins() {
    state.withLock { state in
      guard let left = state.left else { return }
      if left == 0 {
        court.report(.events, nil, "\(name) was called after \(state.end)")
      } else {
        state.left = left - 1
      }
    }
  }

  /// Somebody is about to cancel it.
  public func cancels() { state.withLock { $0.isLetGo = true } }

  /// A cancellation has returned. Then no call begins any more; but one that had begun before for the
  /// dispatcher may stand before its first instruction, unless the foreground is the thread that waited
  /// for the answer.
  public func cancelled(onForeground: Bool) {
    onForeground
      ? allow(0, after: "it was cancelled on the foreground")
      : allow(1, after: "it was cancelled elsewhere, and a call that had begun")
  }

  /// Its descriptor was closed, and nobody has cancelled it: one call may have been on its way.
  public func closed() {
    state.withLock { $0.isLetGo = true }
    allow(1, after: "its descriptor was closed, and a call that was on its way")
  }

  /// The report of its dispatcher's shutdown is there.
  public func reported() { allow(0, after: "the report of a shutdown") }

  /// Whether nobody has begun to end it.
  var isKept: Bool { state.withLock { !$0.isLetGo } }

  private func allow(_ calls: Int, after end: String) {
    state.withLock { state in
      if let left = state.left, left <= calls { return }
      (state.left, state.end) = (calls, end)
    }
  }
}
