internal import Synchronization

/// State that only tasks of one queue may touch, although any code may hold it.
///
/// The compiler lets a `Confined` cross threads. The queue, which runs one task at a time, makes that right.
/// Touching the state from anywhere else traps. Use it where you would otherwise need a lock:
///
/// ```swift
/// let digests = Confined([String](), to: dispatcher.foreground)
/// dispatcher.foreground { digests.withValue { $0.append(digest) } }
/// ```
///
/// Before the loop runs, no thread is the foreground. Pass the initial state to `init`.
///
/// In a test, the test's own code between two steps of the fake counts as the foreground.
///
/// - Warning: A `deinit` runs on whatever thread releases the object last. To touch the state from a
///   `deinit`, submit a task. A class instance that is returned from ``withValue(_:)`` is no longer protected
///   by the queue, as it would not be by a `Mutex`.
public final class Confined<Value: ~Copyable>: @unchecked Sendable {
  // Touched only by the thread that has changed `use` from `.free`.
  private var value: Value?
  private let use = Atomic(Use.free)
  private let queue: TaskQueue

  private enum Use: UInt8, AtomicRepresentable { case free, inBody, taken }

  /// Confines `value` to `queue`. Traps unless the queue runs one task at a time: the foreground, or
  /// a view of width 1.
  public init(_ value: consuming sending Value, to queue: TaskQueue) {
    let width = queue.lane == .foreground ? 1 : queue.view?.width
    require(
      width == 1,
      """
      state can be confined only to a queue that runs one task at a time, and \(queue) does not: \
      use the foreground, or a view of width 1
      """)
    self.value = consume value
    self.queue = queue
  }

  /// Gives `body` the value, to read and change. Only in a task or a `sync` body of the queue.
  ///
  /// Traps elsewhere, and if it is called inside itself. Rethrows what `body` throws.
  public func withValue<Result: ~Copyable, Failure: Error>(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    require(
      use.load(ordering: .relaxed) != .taken, "the value was taken from its queue, \(queue.label)")
    require(
      queue.isCurrent,
      """
      \(CallSite(fileID: fileID, line: line)) touches state that is confined to \(queue.label), \
      and runs on \(TaskQueue.here); submit a task to \(queue.label) instead
      """)
    // The queue runs one task at a time. Yet a body that a shutdown has given up may run while other code takes the value.
    let found = begin(.inBody)
    require(
      found == .free,
      found == .taken
        ? "the value was taken from its queue, \(queue.label)"
        : """
        \(CallSite(fileID: fileID, line: line)) calls withValue inside withValue, for state that is confined to \
        \(queue.label); use the value that the outer call gives
        """)
    defer { use.store(.free, ordering: .releasing) }
    return try body(&value!)
  }

  /// Claims the value, if it is free.
  ///
  /// - Returns: What it was before.
  private func begin(_ next: Use) -> Use {
    use.compareExchange(expected: .free, desired: next, ordering: .acquiringAndReleasing).original
  }

  /// Takes the value out, after the dispatcher has shut down and its report is there. Any thread, once.
  ///
  /// Traps before the report is there, and the second time. Traps as well while a body is in ``withValue(_:)`` that the
  /// shutdown has given up: the report names it as abandoned, with its queue. ``withValue(_:)`` traps from then on, in
  /// such a body, too. So if the report names an abandoned body of the queue, do not take the value.
  public func takeValue() -> sending Value {
    require(
      queue.dispatcher.report != nil,
      "the value is confined to \(queue.label) until its dispatcher has shut down; await its report"
    )
    switch begin(.taken) {
    case .free: return value.take()!
    case .inBody:
      refuse(
        """
        a body is in withValue of the state that is confined to \(queue.label): the shutdown has given it up, and the \
        report names it; look at the report before the value is taken
        """)
    case .taken: refuse("the value was taken already")
    }
  }
}
