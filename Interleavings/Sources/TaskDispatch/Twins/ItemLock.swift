internal import Scheduling

/// Locks for objects that are too many, and too small, to have one each. Here, each object has its own.
@safe enum ItemLock {
  struct Observer {
    /// Whether the call resumes a Task, and is no observer.
    let isAwaiter: Bool
    let call: @Sendable (Outcome) -> Void
  }

  private final class Stripes: @unchecked Sendable {
    var locks: [ObjectIdentifier: SimulatedLock] = [:]
    var observers: [ObjectIdentifier: [Observer]] = [:]
  }
  private static let stripes = Stripes()

  /// Runs `body` under the lock of `object`, with the observers of all items.
  static func withLock<Result>(
    of object: AnyObject, _ body: (inout [ObjectIdentifier: [Observer]]) -> Result
  ) -> Result {
    let name = ObjectIdentifier(object)
    let lock = stripes.locks[name] ?? SimulatedLock(#fileID, #line)
    stripes.locks[name] = lock
    Simulation.shared.lock(lock)
    defer { Simulation.shared.unlock(lock) }
    return body(&stripes.observers)
  }
}
