import Synchronization

/// A number that threads share.
final class Number: Sendable {
  private let number = Atomic<UInt64>(0)
  func set(_ value: UInt64) { number.store(value, ordering: .sequentiallyConsistent) }
  func add(_ value: UInt64) { number.wrappingAdd(value, ordering: .relaxed) }
  /// Stores the system's number of the calling thread.
  func noteThisThread() { set(UInt64(SystemCalls.gettid())) }
  var value: UInt64 { number.load(ordering: .sequentiallyConsistent) }
}
