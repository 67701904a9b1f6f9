import Synchronization

/// How many of something there are. Outlives what counts.
final class LiveCount: Sendable {
  private let count = Atomic(0)
  func add(_ amount: Int) { count.wrappingAdd(amount, ordering: .relaxed) }
  var value: Int { count.load(ordering: .acquiring) }
}
