extension TaskQueue {
  /// Submits `body`, to run later on this queue in the medium band. Fire and forget.
  ///
  /// The fast path: nothing is allocated beyond the closure itself. `body` is released when its
  /// outcome is known, on a thread that is not promised.
  ///
  /// - Returns: Whether it was accepted. If refused, `body` has been released and never runs.
  /// - Complexity: Amortised O(1).
  @inlinable @discardableResult
  public func callAsFunction(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> Admission {
    dispatcher.post(body, on: self, at: CallSite(fileID: fileID, line: line))
  }

  /// Submits `body` with options, in the medium band. It cannot throw: ``submit(label:group:timeToLive:atShutdown:fileID:line:_:)``,
  /// ``run(priority:label:timeToLive:fileID:line:_:)`` and `then:` take bodies that can.
  ///
  /// - Parameters:
  ///   - label: A name for reports, errors and tests.
  ///   - group: Entered now, and left when the outcome is known, whatever it is.
  ///   - timeToLive: If it has not started after this long, it expires. Negative counts as zero,
  ///     which means: unless it can start before time moves on.
  ///   - atShutdown: What a shutdown does with it if it has not started.
  /// - Returns: Whether it was accepted.
  /// - Complexity: Amortised O(1); one allocation beyond the closure, and a second for a time to live, or for
  ///   a group of a queue that was made.
  @discardableResult
  public func callAsFunction(
    label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), label, group, timeToLive, atShutdown, body)
  }

  /// As the other, in the band of `priority`.
  ///
  /// A function of its own: to find out that no priority was given costs as much as all the other options.
  ///
  /// - Parameter priority: Decides the band, see ``PriorityBand``. Medium if nil. The foreground, which is
  ///   strictly first in first out, has no bands.
  @discardableResult
  public func callAsFunction(
    priority: TaskPriority?, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    submit(at: site(priority, fileID, line), label, group, timeToLive, atShutdown, body)
  }

  /// Submits `body` in the medium band, and returns a handle that cancels it and waits for its value.
  ///
  /// Letting go of the handle cancels nothing. What `body` throws becomes its outcome.
  ///
  /// - Parameters: as of the call with options.
  /// - Returns: A handle, also if the submission is refused: its outcome then says so.
  /// - Complexity: Amortised O(1); one allocation beyond the closure, a second for a label, a time to live, or
  ///   a group of a queue that was made, and one for a value that takes up memory.
  @inlinable @discardableResult
  public func submit<Value: Sendable>(
    label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming sending @escaping () throws -> Value
  ) -> TaskHandle<Value> {
    submitForValue(
      at: CallSite(fileID: fileID, line: line), label, group, timeToLive, atShutdown, body)
  }

  /// As the other, in the band of `priority`; medium if that is nil.
  @inlinable @discardableResult
  public func submit<Value: Sendable>(
    priority: TaskPriority?, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming sending @escaping () throws -> Value
  ) -> TaskHandle<Value> {
    submitForValue(
      at: site(priority, fileID, line), label, group, timeToLive, atShutdown, body)
  }

  @inline(__always) private func submit(
    at site: CallSite, _ label: String?, _ group: WorkGroup?, _ timeToLive: Duration?,
    _ atShutdown: ShutdownBehavior, _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    dispatcher.submit(
      WorkItem.make(
        kind: .task, queue: self, label: label, site: site, timeToLive: timeToLive,
        atShutdown: atShutdown, group: group, body: body))
  }

  @inlinable @inline(__always) func submitForValue<Value: Sendable>(
    at site: CallSite, _ label: String?, _ group: WorkGroup?, _ timeToLive: Duration?,
    _ atShutdown: ShutdownBehavior, _ body: consuming sending @escaping () throws -> Value
  ) -> TaskHandle<Value> {
    let item = ValueItem(
      kind: .task, queue: self, label: label, site: site, timeToLive: timeToLive,
      atShutdown: atShutdown, group: group, body: body)
    _ = dispatcher.submit(item)
    return TaskHandle(item: item, dispatcher: dispatcher)
  }

  /// Submits `body`, and hands its result to `then` on the foreground.
  ///
  /// The reply counts against no limit. If `body` never runs, because a shutdown cancelled it,
  /// neither does `then`.
  ///
  /// - Parameters:
  ///   - priority: The band of `body`. Medium if nil.
  ///   - label: The label of `body` and of its reply.
  /// - Returns: Whether `body` was accepted. If it was, and ran, the reply is accepted too, unless a
  ///   shutdown cancels by then.
  @discardableResult
  public func callAsFunction<Value>(
    priority: TaskPriority? = nil, label: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> sending Value,
    then: @escaping @Sendable (sending Result<Value, any Error>) -> Void
  ) -> Admission {
    let site = site(priority, fileID, line)
    let foreground = dispatcher.foreground
    let item = WorkItem.make(kind: .task, queue: self, label: label, site: site) {
      let result: Transfer<Result<Value, any Error>>
      do { result = Transfer(.success(try body())) } catch { result = Transfer(.failure(error)) }
      let reply = WorkItem.make(kind: .reply, queue: foreground, label: label, site: site) {
        then(result.take())
      }
      _ = foreground.dispatcher.submit(reply)
    }
    return dispatcher.submit(item)
  }

  /// As the other, for a `body` that is a function and not a closure, and for results that anybody may
  /// have.
  @discardableResult
  public func callAsFunction<Value: Sendable>(
    priority: TaskPriority? = nil, label: String? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Admission {
    self(
      priority: priority, label: label, fileID: fileID, line: line,
      { () throws -> sending Value in try body() },
      then: { (result: sending Result<Value, any Error>) in then(result) })
  }

  @inlinable func site(_ priority: TaskPriority?, _ fileID: StaticString, _ line: UInt) -> CallSite
  {
    CallSite(fileID: fileID, line: line, band: priority.map { PriorityBand($0) } ?? .medium)
  }
}
