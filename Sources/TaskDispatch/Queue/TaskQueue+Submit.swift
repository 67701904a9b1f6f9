extension TaskQueue {
  /// Submits `body`, to run later on this queue in the medium band. Fire and forget.
  ///
  /// The fast path: nothing is allocated beyond the closure itself. `body` is released when its outcome is
  /// known: by the thread that has run it, as its last act, unless the calling code keeps it.
  ///
  /// - Returns: Whether it was accepted. If refused, `body` has been released and never runs.
  /// - Complexity: Amortised O(1).
  @inlinable @discardableResult
  public func callAsFunction(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> Admission {
    dispatcher.post(consume body, on: self, at: CallSite(fileID: fileID, line: line))
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

  @usableFromInline func submit(
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

  @inlinable func site(_ priority: TaskPriority?, _ fileID: StaticString, _ line: UInt) -> CallSite
  {
    CallSite(fileID: fileID, line: line, band: priority.map { PriorityBand($0) } ?? .medium)
  }
}
