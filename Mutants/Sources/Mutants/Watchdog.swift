internal import Synchronization

/// Calls `bite` once if it has heard nothing for too long.
final class Watchdog: Sendable {
  private struct State {
    var last = ContinuousClock.now
    var hasBitten = false
    var isOver = false
  }

  private let state = Mutex(State())

  init(quiet: Duration, total: Duration, bite: @escaping @Sendable () -> Void) {
    let began = ContinuousClock.now
    Task {
      while true {
        try await Task.sleep(for: .milliseconds(200))
        let (isOver, bites) = state.withLock { state in
          let now = ContinuousClock.now
          if !state.isOver, now - state.last > quiet || now - began > total {
            state.hasBitten = true
          }
          return (state.isOver, state.hasBitten)
        }
        if isOver { return }
        if bites { return bite() }
      }
    }
  }

  func heard() { state.withLock { $0.last = .now } }

  func end() { state.withLock { $0.isOver = true } }

  var hasBitten: Bool { state.withLock { $0.hasBitten } }
}
