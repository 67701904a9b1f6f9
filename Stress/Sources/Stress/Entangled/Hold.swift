import Oracle

/// Keeps the thread of a callback, so that another thread can check whether the background goes on.
final class Hold: Sendable {
  private let isTaken = Locked(false)
  private let gate = Gate()

  /// Keeps the calling thread until ``letGo()``, at most for so many seconds. Keeps one thread at a
  /// time.
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
