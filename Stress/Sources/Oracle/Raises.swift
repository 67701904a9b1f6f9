internal import Synchronization

/// How often a signal was raised in this process.
public final class Raises: Sendable {
  private let begun = Atomic(0)
  private let ended = Atomic(0)

  public init() {}

  /// Counts one that happens within `raise`.
  ///
  /// - Parameter raise: Says whether the signal has come, for certain, when it returns.
  public func count(_ raise: () -> Bool) {
    begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if raise() { ended.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  }

  /// How many have come, at most.
  var most: Int { begun.load(ordering: .sequentiallyConsistent) }

  /// How many have come, at least.
  public var least: Int { ended.load(ordering: .sequentiallyConsistent) }
}
