import Oracle

/// The Swift Tasks that have not ended, each with what it does, for people.
final class Errands: Sendable {
  private struct State {
    var open: [Int: String] = [:]
    var last = 0
  }

  private let state = Locked(State())

  var count: Int { state.withLock { $0.open.count } }
  var names: [String] { state.withLock { $0.open.sorted { $0.key < $1.key }.map(\.value) } }

  /// - Returns: The number of the Task, for ``end(_:)``.
  func begin(_ name: String) -> Int {
    state.withLock { state in
      state.last += 1
      state.open[state.last] = name
      return state.last
    }
  }

  func end(_ number: Int) { state.withLock { $0.open[number] = nil } }
}
