extension TaskQueue {
  /// The executor that runs Swift Tasks on this queue: `Task(executorPreference: queue.executor) { … }`.
  ///
  /// Jobs wait in the queue like tasks, in the band of their priority. They cannot be refused. A plain
  /// `Task { … }` does not run here, even if a body of this queue starts it. Traps on a barrier.
  public var executor: any TaskExecutor {
    require(!isBarrier, "a barrier has no executor; take that of \(label)")
    return implementation.taskExecutor(for: self)
  }

  /// The executor of an actor whose code runs on this queue:
  /// `nonisolated var unownedExecutor: UnownedSerialExecutor`.
  ///
  /// Traps unless the queue runs one task at a time: the foreground, or a view of width 1. The actor must
  /// keep the queue alive for as long as it lives; a stored property does.
  public var unownedExecutor: UnownedSerialExecutor {
    let width = lane == .foreground ? 1 : view?.width
    require(
      width == 1 && !isBarrier,
      """
      an actor needs a queue that runs one task at a time, and \(self) does not: use the \
      foreground, or a view of width 1
      """)
    return unsafe implementation.serialExecutor(for: self).asUnownedSerialExecutor()
  }

  /// Submits a body that is isolated to the main actor. The loop must run on the main thread.
  ///
  /// Traps on any queue but the foreground. Traps also when the body starts, if the loop does not run on the
  /// main thread.
  @discardableResult
  public func onMain(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor @Sendable () -> Void
  ) -> Admission {
    require(lane == .foreground, "onMain needs the foreground, not \(label)")
    return self(fileID: fileID, line: line) { MainActor.assumeIsolated { body() } }
  }
}
