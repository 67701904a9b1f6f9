internal import TaskDispatch

/// Counts how many bodies are inside at the same time, and remembers the most.
final class Meter: Sendable {
  private let state = Locked((inside: 0, most: 0))

  /// The most bodies that were inside at the same time.
  var most: Int { state.withLock { $0.most } }

  /// Runs `body` inside.
  func count<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { state in
      state.inside += 1
      state.most = max(state.most, state.inside)
    }
    defer { state.withLock { $0.inside -= 1 } }
    return try body()
  }
}
