import Oracle

/// A callback that keeps its thread, so that another thread can look whether the rest goes on.
final class Hold: Sendable {
  private let isTaken = Locked(false)
  private let gate = Gate()

  /// Keeps the calling thread until ``letGo()``, at most for so many seconds. One thread at a time.
  func keep(seconds: Double) {
    let isMine = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    guard isMine else { return }
    gate.close()
    gate.wait(seconds: seconds)
    isTaken.withLock { $0 = false }
  }

  var isOn: Bool { isTaken.withLock { $0 } }

  func letGo() { gate.open() }
}
