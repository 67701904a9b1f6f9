import Foundation

/// What the bodies of a test note, from any thread, for the test to look at.
final class Notes<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  // Touched under the lock.
  private var notes: [Value] = []

  /// - Returns: How many there are now.
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
