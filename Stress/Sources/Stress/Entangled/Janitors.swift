import Oracle

/// Threads that keep promises: they resume a suspended view, and leave an entered group.
///
/// What they call may run user code, and that code may wait for another promise. So there is always a
/// thread for the next promise, up to a number. When a third of that number is busy, user code on these
/// threads no longer waits without an end.
final class Janitors: @unchecked Sendable {
  private struct State {
    var promises: [(due: Int64, name: String, keep: @Sendable () -> Void)] = []
    var idle = 0
    var threads: [OwnThread] = []
    var busy = 0
    var isOver = false
  }

  private let state = Locked(State())
  private let usesThreads: Bool
  private static let most = 40

  /// - Parameter usesThreads: If false, ``keepNext()`` keeps the promises.
  init(usesThreads: Bool) { self.usesThreads = usesThreads }

  /// Keeps the oldest promise on the calling thread.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func keepNext() -> Bool {
    let keep = state.withLock { $0.promises.isEmpty ? nil : $0.promises.removeFirst().keep }
    keep?()
    return keep != nil
  }

  /// Keeps a promise after so many nanoseconds; at once if all threads have ended.
  func promise(
    _ name: String, in nanoseconds: Int64, _ keep: @escaping @Sendable () -> Void
  ) {
    let due = monotonicNanoseconds() + nanoseconds
    let isLate = state.withLock { state in
      if state.isOver { return true }
      state.promises.append((due, name, keep))
      startIfNone(&state)
      return false
    }
    if isLate { keep() }
  }

  /// Starts a thread for the next promise, if no thread is idle.
  private func startIfNone(_ state: inout State) {
    guard usesThreads, state.idle == 0, state.threads.count < Self.most else { return }
    // The thread counts as idle until it has taken a promise.
    state.idle += 1
    state.threads.append(OwnThread { self.work() })
  }

  /// Whether so many of the threads are in calls that user code on them must not wait for ever.
  var areShort: Bool { state.withLock { $0.busy > Self.most / 3 } }

  var isIdle: Bool { state.withLock { $0.promises.isEmpty && $0.busy == 0 } }

  /// Ends the threads. All promises have been kept.
  func end() {
    let threads = state.withLock { state in
      state.isOver = true
      return state.threads
    }
    for thread in threads { _ = thread.join(seconds: 1e6) }
  }

  private func work() {
    ThreadRecorder.current.stand.role = .janitor
    let look = Gate()
    while true {
      let now = monotonicNanoseconds()
      let (next, isOver) = state.withLock {
        state -> ((name: String, keep: @Sendable () -> Void)?, Bool) in
        guard let place = state.promises.firstIndex(where: { $0.due <= now }) else {
          return (nil, state.isOver && state.promises.isEmpty)
        }
        let promise = state.promises.remove(at: place)
        state.idle -= 1
        state.busy += 1
        // Starts another thread for the next promise, since this one may take long.
        if state.idle == 0, !state.promises.isEmpty, state.threads.count < Self.most {
          state.idle += 1
          state.threads.append(OwnThread { self.work() })
        }
        return ((promise.name, promise.keep), false)
      }
      if let next {
        next.keep()
        state.withLock { state in
          state.busy -= 1
          state.idle += 1
        }
      } else if isOver {
        return
      } else {
        look.wait(seconds: 0.000_1)
      }
    }
  }

  var description: String {
    state.withLock { state in
      "janitors: \(state.threads.count), \(state.busy) at work, "
        + "\(state.promises.count) promises wait"
    }
  }
}
