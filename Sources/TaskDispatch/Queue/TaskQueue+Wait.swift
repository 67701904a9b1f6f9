extension TaskQueue {
  /// Runs `body` in this queue's order, blocks the calling thread until it has run, and returns its result.
  ///
  /// On a view, and on the background, `body` runs on the calling thread. It counts against the queue's own
  /// width, and needs no worker. On the foreground, `body` runs on the loop's thread while the calling thread
  /// is blocked. `body` waits in the medium band.
  ///
  /// A worker that is blocked here may run the first task of this queue on its own stack. It does so only
  /// where this call would otherwise be refused because no worker is left.
  ///
  /// - Throws: What `body` throws. Or a ``WaitRefusal``, and then `body` has not run: above all
  ///   ``WaitRefusal/wouldDeadlock(chain:)``, if the wait could not end (rule 14).
  @available(*, noasync, message: "use `try await run { … }`: this stops the thread")
  @inlinable public func sync<Value>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Value
  ) throws -> Value {
    var result: Result<Value, any Error>?
    try implementation.sync(on: self, at: CallSite(fileID: fileID, line: line)) {
      result = Result(catching: body)
    }
    guard let result else { refuse("a dispatcher returned from sync without its body") }
    return try result.get()
  }

  /// Runs `body` on this queue, and returns what it returns when it has run.
  ///
  /// The body waits in the band of the calling Task's priority, unless `priority` names another. If that Task is
  /// cancelled, a body that has not started is cancelled; a body that has started can read
  /// ``CurrentTask/isCancelled``. Where a limit would refuse the submission, this call suspends until there
  /// is room.
  ///
  /// On a fake that is stepped, nothing runs while a test awaits this call. Put it into `runAsync { … }`.
  ///
  /// - Throws: What `body` throws. `CancellationError` if it was cancelled before its start. ``NoValue`` if
  ///   it was refused, expired or abandoned.
  nonisolated(nonsending) public func run<Value>(
    priority: PriorityBand? = nil, label: String? = nil, timeToLive: Duration? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: sending @escaping () throws -> sending Value
  ) async throws -> sending Value {
    try Task.checkCancellation()
    let item = ValueItem(
      kind: .task, queue: self, label: label,
      site: CallSite(fileID: fileID, line: line),
      band: priority ?? PriorityBand(Task.currentPriority), timeToLive: timeToLive, body: body)
    item.noteFailureSeen()
    let dispatcher = implementation
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        item.resumeWhenFinished { continuation.resume(returning: $0) }
        dispatcher.submitWhenRoom(item)
        if item.noteSubmitted() { _ = dispatcher.cancel(item) }
      }
    } onCancel: {
      // Until the submission has returned, the dispatcher may not know the item, or not all of it: then the
      // submitting code cancels it afterwards. The exception is an item that runs: that one the dispatcher
      // does know.
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
  /// Timers that are not due do not count. If the queue is suspended, the wait lasts until it is resumed. On
  /// a fake, await it in `runAsync { … }`.
  nonisolated(nonsending) public func flush() async {
    await implementation.flush(self)
  }

  /// Suspends the queue: none of its tasks starts until it is resumed. Any thread.
  ///
  /// A task that runs goes on, and so does a caller of `sync` that has been admitted.
  ///
  /// Calls nest: each one needs a call of ``resume()``. Traps on the foreground and on the background itself,
  /// which all code of the process shares. Suspend a view instead.
  public func suspend() {
    requireSuspendable()
    implementation.suspend(self)
  }

  /// Undoes one ``suspend()``. Any thread. Traps if the queue is not suspended.
  public func resume() {
    requireResumable()
    implementation.resume(self)
  }

  /// Traps unless the queue is a view: no other queue is suspended. For dispatchers, which may be called directly.
  package func requireSuspendable() {
    require(
      view != nil,
      "\(label) cannot be suspended: all code of the process shares it; suspend a view instead")
  }

  /// Traps unless the queue is a view.
  package func requireResumable() { require(view != nil, "\(label) was never suspended") }
}
