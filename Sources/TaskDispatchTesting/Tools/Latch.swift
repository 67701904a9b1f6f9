internal import TaskDispatch

/// A gate for threads: it opens for good after enough calls of ``open()``.
///
/// With it, a test of a dispatcher with threads waits for what it needs instead of sleeping, and holds a body until the
/// test has looked:
///
/// ```swift
/// let (started, mayEnd) = (Latch(), Latch())
/// dispatcher.background {
///   started.open()
///   _ = mayEnd.wait(.seconds(20))
/// }
/// #expect(started.wait(.seconds(20)))
/// // The body runs now, and stays in its place until this.
/// mayEnd.open()
/// ```
///
/// A wait blocks its thread. ``RecordingDispatcher`` runs all bodies on the thread that steps, so a body of it must not
/// wait for what another body opens: the wait would only time out. Tests of the fake step instead.
public final class Latch: Sendable {
  private struct State {
    var missing: Int
    var waiting: [Parker] = []

    mutating func remove(_ parker: Parker) { waiting.removeAll { $0 === parker } }
  }
  private let state: Locked<State>

  /// - Parameter count: How many calls of ``open()`` it takes. If zero or less, the latch is open from the start.
  public init(_ count: Int = 1) {
    state = Locked(State(missing: count))
  }

  /// Whether enough calls of ``open()`` were made. Any thread.
  public var isOpen: Bool { missing <= 0 }

  /// How many calls of ``open()`` are still missing. Negative if there were too many. Any thread.
  public var missing: Int { state.withLock { $0.missing } }

  /// How many threads wait. Any thread.
  package var waiting: Int { state.withLock { $0.waiting.count } }

  /// Counts one call. The last one that is missing lets all waiting threads go on. Further calls do nothing but count.
  /// Any thread.
  public func open() {
    let released = state.withLock { state -> [Parker] in
      if state.missing > .min { state.missing -= 1 }
      guard state.missing <= 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for parker in released { parker.open() }
  }

  /// Blocks the calling thread until the latch is open. Any thread, any number of threads.
  ///
  /// - Parameter timeout: The longest that it waits. If zero or less, it only looks.
  /// - Returns: False if the latch was not open in time.
  public func wait(_ timeout: Duration) -> Bool {
    if timeout <= .zero { return isOpen }
    let parker = Parker()
    let isOpen = state.withLock { state in
      if state.missing > 0 { state.waiting.append(parker) }
      return state.missing <= 0
    }
    if isOpen || parker.wait(nanoseconds: timeout.clampedNanoseconds) { return true }
    return state.withLock { state in
      state.remove(parker)
      // It may have opened since.
      return state.missing <= 0
    }
  }

  /// Holds a body until the latch is open, or at most for three times `patience`.
  ///
  /// Every wait for something else has given up long before that: it must not succeed because this body gave up first.
  ///
  /// - Parameter patience: How long the other waits last.
  package func hold(_ patience: Duration) { _ = wait(patience * 3) }
}
