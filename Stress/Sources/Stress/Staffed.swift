import Oracle

/// Waits until so many threads have arrived.
final class Staffed: Sendable {
  private let missing: Locked<Int>
  private let isComplete = Gate()

  init(_ threads: Int) { missing = Locked(threads) }

  func comesIn() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { isComplete.open() }
  }

  func wait() { isComplete.wait(seconds: 1e6) }
}
