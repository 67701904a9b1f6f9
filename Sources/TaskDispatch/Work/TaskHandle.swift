/// A submitted task: cancels it, and waits for its value.
///
/// Letting go of a handle cancels nothing. Keeps the dispatcher alive.
public struct TaskHandle<Value: Sendable>: Sendable {
  @usableFromInline let item: ValueItem<Value>
  @usableFromInline let dispatcher: any TaskDispatcher

  @inlinable init(item: ValueItem<Value>, dispatcher: any TaskDispatcher) {
    self.item = item
    self.dispatcher = dispatcher
  }

  /// Cancels the task: before its start for good, after it by a flag that its body can read.
  ///
  /// Any thread, any number of times. O(1) for a task that waits in a queue.
  ///
  /// - Returns: Which of the two it was, or that it was too late.
  @discardableResult
  public func cancel() -> Cancellation { dispatcher.cancel(item) }

  /// The value, once the task has completed.
  ///
  /// Cancelling the Task that waits here does not cancel this task, and does not end the wait.
  ///
  /// - Throws: What the body threw; `CancellationError` if it was cancelled before its start;
  ///   ``NoValue`` if it expired, was refused or was abandoned.
  public var value: Value {
    get async throws {
      item.noteFailureSeen()
      return try value(of: await outcome)
    }
  }

  /// How it ended, once it has.
  public var outcome: Outcome {
    get async {
      item.noteFailureSeen()
      return await item.outcomeOnceFinished
    }
  }

  /// How it ended, or nil if it has not.
  public var outcomeIfFinished: Outcome? {
    let outcome = item.outcome
    if outcome != nil { item.noteFailureSeen() }
    return outcome
  }

  /// Stands still until the task has ended, and returns how.
  ///
  /// On the fake, what must precede the task runs first, and time moves only if there is a time-out.
  ///
  /// - Parameter timeout: How long to wait at most; for ever if nil.
  /// - Throws: ``WaitRefusal/timedOut``; ``WaitRefusal/wouldDeadlock(chain:)`` if only this thread
  ///   could let the task run (rule 14). The task is not touched either way.
  @available(*, noasync, message: "use `await outcome`: this stops the thread")
  @discardableResult
  public func wait(timeout: Duration? = nil) throws(WaitRefusal) -> Outcome {
    item.noteFailureSeen()
    return try item.wait(in: dispatcher, timeout: timeout)
  }

  public var label: String? { item.label }

  private func value(of outcome: Outcome) throws -> Value {
    switch outcome {
    case .completed: return item.value
    case .failed(let error): throw error
    case .cancelled: throw CancellationError()
    case .expired, .refused, .abandoned:
      throw NoValue(outcome: outcome, label: item.label, site: item.site)
    }
  }
}

/// A timer: cancels it, and waits for its end.
///
/// Letting go of a handle cancels nothing. Keeps the dispatcher alive.
public struct TimerHandle: Sendable {
  private let item: WorkItem
  private let dispatcher: any TaskDispatcher

  init(item: WorkItem, dispatcher: any TaskDispatcher) {
    self.item = item
    self.dispatcher = dispatcher
  }

  /// Cancels the timer, and with it a run that stands in its queue. For a repeating timer, the run
  /// that is in its body can read the flag, no other follows, and the timer has ended when that run has.
  ///
  /// Any thread, any number of times. O(log n) of *n* timers.
  @discardableResult
  public func cancel() -> Cancellation { dispatcher.cancel(item) }

  /// How it ended, once it has. A repeating timer ends only cancelled: by a call, or by a shutdown. Then no run of it
  /// is in its body, unless it was abandoned.
  public var outcome: Outcome { get async { await item.outcomeOnceFinished } }

  /// How it ended, or nil if it has not. A repeating timer ends only cancelled.
  public var outcomeIfFinished: Outcome? { item.outcome }

  /// Stands still until the timer has ended, and returns how: ``outcome`` for a thread.
  ///
  /// As ``TaskHandle/wait(timeout:)``. In a run of a repeating timer it is refused, since that waits for its own end.
  ///
  /// - Parameter timeout: How long to wait at most; for ever if nil.
  /// - Throws: ``WaitRefusal/timedOut``; ``WaitRefusal/wouldDeadlock(chain:)`` (rule 14). The timer is not touched
  ///   either way.
  @available(*, noasync, message: "use `await outcome`: this stops the thread")
  @discardableResult
  public func wait(timeout: Duration? = nil) throws(WaitRefusal) -> Outcome {
    try item.wait(in: dispatcher, timeout: timeout)
  }

  public var label: String? { item.label }
}

/// What both handles wait by.
extension WorkItem {
  fileprivate final var outcomeOnceFinished: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        resumeWhenFinished { continuation.resume(returning: $0) }
      }
    }
  }

  fileprivate final func wait(
    in dispatcher: any TaskDispatcher, timeout: Duration?
  ) throws(WaitRefusal) -> Outcome {
    try dispatcher.wait(for: .item(self), timeout: timeout)
    guard let outcome else {
      refuse("a dispatcher ended the wait for \(name), which has not ended")
    }
    return outcome
  }
}
