internal import TaskDispatch

/// Opens for good after enough calls of ``open()``. Checks wait at it, and it holds bodies.
final class Latch: Sendable {
  private struct State {
    var missing: Int
    var waiting: [Parker] = []
  }
  private let state: Locked<State>

  /// - Parameter count: How many calls of ``open()`` it takes. If zero, the latch is open from the start.
  init(_ count: Int = 1) {
    state = Locked(State(missing: count))
  }

  var isOpen: Bool { state.withLock { $0.missing <= 0 } }

  /// How many calls of ``open()`` are still missing. Negative if there were too many.
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

  /// Blocks the calling thread until the latch is open. Returns false if `patience` ends first.
  func wait(_ patience: Duration) -> Bool {
    let parker = Parker()
    let isOpen = state.withLock { state in
      if state.missing > 0 { state.waiting.append(parker) }
      return state.missing <= 0
    }
    return isOpen || parker.wait(nanoseconds: patience.clampedNanoseconds)
  }

  /// Holds a body until the latch is open, or at most for three times `patience`.
  ///
  /// Every wait for something else has given up long before that: it must not succeed because this body gave up first.
  ///
  /// - Parameter patience: How long the other waits last.
  func hold(_ patience: Duration) { _ = wait(patience * 3) }
}
