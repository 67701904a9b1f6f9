internal import Synchronization

/// How often a signal was raised in this process.
public final class Raises: Sendable {
  private let begun = Atomic(0)
  private let ended = Atomic(0)

  public init() {}

  /// Counts one signal that is raised within `raise`.
  ///
  /// - Parameter raise: Says whether the signal has certainly arrived when it returns.
  public func count(_ raise: () -> Bool) {
    begun.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if raise() { ended.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  }

  /// How many signals have arrived, at most.
  var most: Int { begun.load(ordering: .sequentiallyConsistent) }

  /// How many signals have arrived, at least.
  public var least: Int { ended.load(ordering: .sequentiallyConsistent) }
}
