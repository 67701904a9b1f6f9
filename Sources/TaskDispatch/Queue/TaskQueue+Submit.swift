extension TaskQueue {
  /// Submits `body`, to run later on this queue in the medium band. Fire and forget. Any thread.
  ///
  /// This is the fast path: nothing is allocated beyond the closure itself. `body` is released when its
  /// outcome is known. The thread that has run it releases it as the last act of the task, unless the calling
  /// code keeps it.
  ///
  /// - Returns: Whether `body` was accepted. If it was refused, it has been released and never runs.
  /// - Complexity: Amortised O(1).
  @inlinable @discardableResult
  public func callAsFunction(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> Admission {
    dispatcher.post(consume body, on: self, at: CallSite(fileID: fileID, line: line))
  }

  /// Submits `body` with options, in the medium band. Any thread.
  ///
  /// `body` cannot throw. ``submit(label:group:timeToLive:atShutdown:fileID:line:_:)``,
  /// ``run(priority:label:timeToLive:fileID:line:_:)`` and the calls with `then:` take bodies that can.
  ///
  /// - Parameters:
  ///   - label: A name for reports, errors and tests.
  ///   - group: Entered by this call, and left when the outcome is known, whatever it is.
  ///   - timeToLive: If `body` has not started after this long, it expires. Negative counts as zero. Zero
  ///     means: it runs only if it can start before time moves on.
  ///   - atShutdown: What a shutdown does with `body` if it has not started.
  /// - Returns: Whether `body` was accepted. If it was refused, it has been released and never runs.
  /// - Complexity: Amortised O(1). One allocation beyond the closure, and a second for a time to live, or for
  ///   a group together with a view.
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

  /// Submits `body` with options, in the band of `priority`. Any thread.
  ///
  /// A function of its own, because finding out that no priority was given costs as much as all the other
  /// options.
  ///
  /// - Parameter priority: Decides the band, see ``PriorityBand``. Medium if nil. The foreground has no
  ///   bands: it is strictly first in first out.
  @discardableResult
  public func callAsFunction(
    priority: TaskPriority?, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    submit(at: site(priority, fileID, line), label, group, timeToLive, atShutdown, body)
  }

  /// Submits `body` in the medium band, and returns a handle that cancels it and waits for its value. Any
  /// thread.
  ///
  /// Releasing the handle cancels nothing. If `body` throws, its outcome is `.failed` with that error.
  ///
  /// - Parameters:
  ///   - label: A name for reports, errors and tests.
  ///   - group: Entered by this call, and left when the outcome is known, whatever it is.
  ///   - timeToLive: If `body` has not started after this long, it expires. Negative counts as zero.
  ///   - atShutdown: What a shutdown does with `body` if it has not started.
  /// - Returns: A handle. If the submission is refused, the outcome of the handle says so.
  /// - Complexity: Amortised O(1). One allocation beyond the closure, a second for a label, a time to live,
  ///   or a group together with a view, and one for a value that takes up memory.
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

  /// Submits `body` in the band of `priority`, and returns a handle that cancels it and waits for its value.
  ///
  /// - Parameter priority: Decides the band, see ``PriorityBand``. Medium if nil.
  /// - Returns: A handle. If the submission is refused, the outcome of the handle says so.
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
