import Foundation

/// Records what the bodies of a test add, on any thread, for the test to look at.
final class Notes<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  // Touched under the lock.
  private var notes: [Value] = []

  /// - Returns: How many values there are now.
  @discardableResult
  func add(_ value: Value) -> Int {
    lock.withLock {
      notes.append(value)
      return notes.count
    }
  }

  var all: [Value] { lock.withLock { notes } }
  var count: Int { lock.withLock { notes.count } }
}
