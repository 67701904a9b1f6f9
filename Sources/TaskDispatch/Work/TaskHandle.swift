/// A handle of a submitted task: cancels it, and waits for its value.
///
/// Releasing a handle cancels nothing. A handle keeps the dispatcher alive.
public struct TaskHandle<Value: Sendable>: Sendable {
  @usableFromInline let item: ValueItem<Value>
  @usableFromInline let dispatcher: any DispatcherImplementation

  @inlinable init(item: ValueItem<Value>, dispatcher: any DispatcherImplementation) {
    self.item = item
    self.dispatcher = dispatcher
  }

  /// Cancels the task: before its start for good, after it by a flag that its body can read.
  ///
  /// Any thread, any number of times. O(1) for a task that waits in a queue.
  ///
  /// - Returns: Which of the two it was, or that the task had ended already.
  @discardableResult
  public func cancel() -> Cancellation { dispatcher.cancel(item) }

  /// The value, once the task has completed. Reading it suspends the calling Task until then.
  ///
  /// Cancelling the calling Task neither cancels this task nor ends the wait.
  ///
  /// - Throws: What the body threw. `CancellationError` if the task was cancelled before its start.
  ///   ``NoValue`` if it expired, was refused or was abandoned.
  public var value: Value {
    get async throws {
      item.noteFailureSeen()
      return try value(of: await outcome)
    }
  }

  /// How the task ended. Reading it suspends the calling Task until the task has ended.
  public var outcome: Outcome {
    get async {
      item.noteFailureSeen()
      return await item.outcomeOnceFinished
    }
  }

  /// How the task ended, or nil if it has not. Any thread; it never waits.
  public var outcomeIfFinished: Outcome? {
    let outcome = item.outcome
    if outcome != nil { item.noteFailureSeen() }
    return outcome
  }

  /// Blocks the calling thread until the task has ended, and returns how it ended.
  ///
  /// On the fake, tasks that must precede this task run first. Time moves on only if there is a time-out.
  ///
  /// - Parameter timeout: The longest time to wait; for ever if nil.
  /// - Throws: ``WaitRefusal/timedOut``. ``WaitRefusal/wouldDeadlock(chain:)`` if only the calling thread
  ///   could let the task run (rule 14). The task goes on as before either way.
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

/// A handle of a timer: cancels it, and waits for its end.
///
/// Releasing a handle cancels nothing. A handle keeps the dispatcher alive.
public struct TimerHandle: Sendable {
  private let item: WorkItem
  private let dispatcher: any DispatcherImplementation

  init(item: WorkItem, dispatcher: any DispatcherImplementation) {
    self.item = item
    self.dispatcher = dispatcher
  }

  /// Cancels the timer, and with it a run that waits in its queue.
  ///
  /// If a run of a repeating timer is in its body, the body can read the flag. No other run follows, and the
  /// timer has ended when that run has.
  ///
  /// Any thread, any number of times. O(log n) of *n* timers.
  ///
  /// - Returns: Whether that was before the start, or after it, or whether the timer had ended already.
  @discardableResult
  public func cancel() -> Cancellation { dispatcher.cancel(item) }

  /// How the timer ended. Reading it suspends the calling Task until the timer has ended.
  ///
  /// A repeating timer ends only cancelled: by a call, or by a shutdown. By then no run of it is in its body,
  /// unless that run was abandoned.
  public var outcome: Outcome { get async { await item.outcomeOnceFinished } }

  /// How the timer ended, or nil if it has not. A repeating timer ends only cancelled. Any thread; it never
  /// waits.
  public var outcomeIfFinished: Outcome? { item.outcome }

  /// Blocks the calling thread until the timer has ended, and returns how it ended.
  ///
  /// A run of a repeating timer cannot wait for its own timer: the call is refused. On the fake, tasks that
  /// must precede the end of the timer run first, and time moves on only if there is a time-out.
  ///
  /// - Parameter timeout: The longest time to wait; for ever if nil.
  /// - Throws: ``WaitRefusal/timedOut``. ``WaitRefusal/wouldDeadlock(chain:)`` if the wait could not end
  ///   (rule 14). The timer goes on as before either way.
  @available(*, noasync, message: "use `await outcome`: this stops the thread")
  @discardableResult
  public func wait(timeout: Duration? = nil) throws(WaitRefusal) -> Outcome {
    try item.wait(in: dispatcher, timeout: timeout)
  }

  public var label: String? { item.label }
}

/// How both handles wait.
extension WorkItem {
  fileprivate final var outcomeOnceFinished: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        resumeWhenFinished { continuation.resume(returning: $0) }
      }
    }
  }

  fileprivate final func wait(
    in dispatcher: any DispatcherImplementation, timeout: Duration?
  ) throws(WaitRefusal) -> Outcome {
    try dispatcher.wait(for: .item(self), timeout: timeout)
    guard let outcome else {
      refuse("a dispatcher ended the wait for \(name), which has not ended")
    }
    return outcome
  }
}
