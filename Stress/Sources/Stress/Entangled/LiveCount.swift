import Synchronization

/// How many objects of a kind there are. It outlives the objects that count themselves in it.
final class LiveCount: Sendable {
  private let count = Atomic(0)
  func add(_ amount: Int) { count.wrappingAdd(amount, ordering: .relaxed) }
  var value: Int { count.load(ordering: .acquiring) }
}
