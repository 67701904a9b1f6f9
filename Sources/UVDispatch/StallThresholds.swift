internal import TaskDispatch

/// After how long a body counts as *stalled*: it keeps its thread, so that other work waits.
public struct StallThresholds: Sendable, Hashable {
  /// The threshold on the loop, where a body that waits or computes delays everything else.
  public var loop: Duration
  /// The threshold for all other bodies: those of workers, and of threads that call `sync` on a background queue.
  public var workers: Duration

  /// Thresholds for the loop and for workers. Each more than zero; a dispatcher traps otherwise. Those below a
  /// millisecond are noticed after a millisecond or two.
  public init(loop: Duration = .milliseconds(100), workers: Duration = .seconds(10)) {
    self.loop = loop
    self.workers = workers
  }

  /// One threshold for all bodies.
  public init(_ threshold: Duration) { self.init(loop: threshold, workers: threshold) }

  /// Traps if a threshold makes no sense.
  func validate() {
    for (name, threshold) in [("loop", loop), ("workers", workers)] {
      require(
        threshold > .zero, "a body stalls after some time (\(name): \(threshold.exactText))")
    }
  }
}
