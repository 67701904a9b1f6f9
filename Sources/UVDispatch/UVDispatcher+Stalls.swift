internal import TaskDispatch

extension UVDispatcher {
  /// Begins to watch for *stalls*: bodies, and callbacks, that keep their thread for longer than
  /// ``Configuration/stallThresholds``.
  ///
  /// A thread of the dispatcher's own looks at what runs, twice in the shorter threshold while bodies start. Tasks are as
  /// fast as without it. It finds every stall after one and a half times the threshold at most, and
  /// tells of it then, again each time that its duration has doubled, and once more when it is over.
  ///
  /// Any thread. Each further call adds a receiver. The dispatcher keeps `report` until it ends itself, so `report` must
  /// not keep the dispatcher.
  ///
  /// - Parameter report: Called on the watching thread, under no lock and in no task. Reports come one after the other.
  ///   While `report` has not returned, no other stall is told of, and a shutdown waits for it up to its deadlines. A
  ///   receiver that is added while a body stalls may be told of the end alone.
  /// - Throws: ``UVError`` if the system has no room for another thread, or does not let stacks be taken with the
  ///   configured signal. Then `report` is told nothing, and is released.
  public func watchStalls(_ report: @escaping @Sendable (Stall) -> Void) throws(UVError) {
    if ForkGuard.isForked { refuse("a forked child cannot watch for stalls") }
    let receiver = StallReceiver(report)
    engine.withCore { $0.observation.add(receiver) }
    do throws(UVError) {
      try startWatchdog()
    } catch {
      engine.withCore { $0.observation.remove(receiver) }
      throw error
    }
  }

  /// Starts the thread that watches, unless it has started.
  func startWatchdog() throws(UVError) {
    if let capture = engine.settings.stallStacks { try StackTracer.shared.prepare(capture) }
    try watchdog.start(named: engine.settings.label, watching: self)
  }
}

/// Code of the program that gets reports of stalls.
final class StallReceiver: Sendable {
  let report: @Sendable (Stall) -> Void

  init(_ report: @escaping @Sendable (Stall) -> Void) { self.report = report }
}
