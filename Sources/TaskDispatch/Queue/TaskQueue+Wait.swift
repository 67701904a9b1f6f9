extension TaskQueue {
  /// Runs `body` in this queue's order, and returns what it returns.
  ///
  /// On a view, and on the background, it runs on the calling thread, counted against the queue's
  /// own width, and takes no worker. A worker that waits here runs the first task of the queue on top of
  /// its wait, but only where it would be refused for want of a worker otherwise. On the foreground
  /// `body` runs on the loop's thread while the caller waits.
  /// It stands in the medium band.
  ///
  /// - Throws: What `body` throws; or a ``WaitRefusal``, and then `body` has not run: above all
  ///   ``WaitRefusal/wouldDeadlock(chain:)`` if the wait could not end (rule 14).
  @available(*, noasync, message: "use `try await run { … }`: this stops the thread")
  @inlinable public func sync<Value>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Value
  ) throws -> Value {
    var result: Result<Value, any Error>?
    try dispatcher.sync(on: self, at: CallSite(fileID: fileID, line: line)) {
      result = Result(catching: body)
    }
    guard let result else { refuse("a dispatcher returned from sync without its body") }
    return try result.get()
  }

  /// Runs `body` on this queue, and returns what it returns when it has run.
  ///
  /// Takes the priority of the calling Task. Cancelling that Task cancels a body that has not
  /// started; a body that has can read ``CurrentTask/isCancelled``. Suspends for room where a limit
  /// would refuse.
  ///
  /// On a fake that is stepped nothing runs while a test awaits this: put it into `runAsync { … }`.
  ///
  /// - Throws: What `body` throws; `CancellationError` if it was cancelled before its start;
  ///   ``NoValue`` if it was refused, expired or abandoned.
  nonisolated(nonsending) public func run<Value>(
    priority: TaskPriority? = nil, label: String? = nil, timeToLive: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: sending @escaping () throws -> sending Value
  ) async throws -> sending Value {
    try Task.checkCancellation()
    let item = ValueItem(
      kind: .task, queue: self, label: label,
      site: site(priority ?? Task.currentPriority, fileID, line), timeToLive: timeToLive,
      body: body)
    item.noteFailureSeen()
    let dispatcher = dispatcher
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        item.resumeWhenFinished { continuation.resume(returning: $0) }
        dispatcher.submitWhenRoom(item)
        if item.noteSubmitted() { _ = dispatcher.cancel(item) }
      }
    } onCancel: {
      // Before the submission has returned its dispatcher may not know it yet, or not all of it. But
      // what runs it does know.
      if item.noteUnwanted() || item.isRunning { _ = dispatcher.cancel(item) }
    }
    switch outcome {
    case .completed: return Transfer(item.takeValue()).take()
    case .failed(let error): throw error
    case .cancelled: throw CancellationError()
    case .expired, .refused, .abandoned:
      throw NoValue(outcome: outcome, label: label, site: item.site)
    }
  }

  /// Suspends until everything submitted to this queue before the call has ended.
  ///
  /// Timers that are not due do not count. Waits for a suspended queue to be resumed. On a fake,
  /// await it in `runAsync { … }`.
  nonisolated(nonsending) public func flush() async {
    await dispatcher.flush(self)
  }

  /// Holds the queue: nothing of it starts until it is resumed. What runs goes on, and a caller of `sync` whose
  /// turn has come runs.
  ///
  /// Nests: it takes as many calls of ``resume()``. Traps on the foreground and on the background
  /// itself, which belong to everybody; hold a view instead.
  public func suspend() {
    require(
      view != nil, "\(label) cannot be suspended: it belongs to everybody; suspend a view")
    dispatcher.suspend(self)
  }

  /// Undoes one ``suspend()``. Traps if there was none.
  public func resume() {
    require(view != nil, "\(label) was never suspended")
    dispatcher.resume(self)
  }
}
