internal import TaskDispatch

/// Opens for good once it was told so often enough. Checks wait at it, and hold bodies at it.
final class Latch: Sendable {
  private struct State {
    var missing: Int
    var waiting: [Parker] = []
  }
  private let state: Locked<State>

  /// - Parameter count: How many calls of ``open()`` it takes. Open from the start if zero.
  init(_ count: Int = 1) {
    state = Locked(State(missing: count))
  }

  var isOpen: Bool { state.withLock { $0.missing <= 0 } }

  /// How many calls of ``open()`` it still takes; negative if there were too many.
  var missing: Int { state.withLock { $0.missing } }

  /// Any thread, any number of times.
  func open() {
    let released = state.withLock { state -> [Parker] in
      state.missing -= 1
      guard state.missing <= 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for parker in released { parker.open() }
  }

  /// Stands still until it is open. Returns false if `patience` ends first.
  func wait(_ patience: Duration) -> Bool {
    let parker = Parker()
    let isOpen = state.withLock { state in
      if state.missing > 0 { state.waiting.append(parker) }
      return state.missing <= 0
    }
    return isOpen || parker.wait(nanoseconds: patience.clampedNanoseconds)
  }

  /// Holds a body until it is open, or until all that waits for something else has given up long ago: such a wait
  /// must not succeed because the body gives up first.
  ///
  /// - Parameter patience: How long the others wait.
  func hold(_ patience: Duration) { _ = wait(patience * 3) }
}
