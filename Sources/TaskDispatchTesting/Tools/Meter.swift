internal import TaskDispatch

/// Counts how many bodies are inside at the same time, and remembers the most.
///
/// ```swift
/// let meter = Meter()
/// let queue = dispatcher.makeQueue(label: "images", width: 2)
/// for _ in 0..<100 {
///   queue { meter.count { resize() } }
/// }
/// …
/// #expect(meter.most <= 2)
/// ```
public final class Meter: Sendable {
  private let state = Locked((inside: 0, most: 0))

  public init() {}

  /// How many bodies are inside now. Any thread.
  public var inside: Int { state.withLock { $0.inside } }

  /// The most bodies that were inside at the same time. Any thread.
  public var most: Int { state.withLock { $0.most } }

  /// Runs `body`, and counts it as inside until it returns or throws. Any thread.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func count<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    state.withLock { state in
      state.inside += 1
      state.most = max(state.most, state.inside)
    }
    defer { state.withLock { $0.inside -= 1 } }
    return try body()
  }
}
