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
  public func async(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> Admission {
    implementation.post(consume body, on: self, at: CallSite(fileID: fileID, line: line))
  }

  /// The shorthand of ``async(fileID:line:_:)``: `queue { … }` is `queue.async { … }`.
  ///
  /// - Returns: Whether `body` was accepted. If it was refused, it has been released and never runs.
  /// - Complexity: Amortised O(1).
  @inlinable @discardableResult
  public func callAsFunction(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming @escaping @Sendable () -> Void
  ) -> Admission {
    implementation.post(consume body, on: self, at: CallSite(fileID: fileID, line: line))
  }

  /// Submits `body` with options. Any thread.
  ///
  /// `body` cannot throw. ``submit(priority:label:group:timeToLive:atShutdown:fileID:line:_:)``,
  /// ``run(priority:label:timeToLive:fileID:line:_:)`` and the calls with `then:` take bodies that can.
  ///
  /// - Parameters:
  ///   - priority: The band in which `body` waits. The foreground has no bands: it is strictly first in first
  ///     out.
  ///   - label: A name for reports, errors and tests.
  ///   - group: Entered by this call, and left when the outcome is known, whatever it is.
  ///   - timeToLive: If `body` has not started after this long, it expires. Negative counts as zero. Zero
  ///     means: it runs only if it can start before time moves on.
  ///   - atShutdown: What a shutdown does with `body` if it has not started.
  /// - Returns: Whether `body` was accepted. If it was refused, it has been released and never runs.
  /// - Complexity: Amortised O(1). One allocation beyond the closure, and a second for a time to live, or for
  ///   a group together with a view.
  @discardableResult
  public func async(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), priority, label, group, timeToLive, atShutdown, body
    )
  }

  /// Submits `body` with options, in the band of a `TaskPriority`: see ``PriorityBand/init(_:)``. Any thread.
  ///
  /// For a priority that is at hand as a variable. The other calls take `PriorityBand(priority)`. The short names of
  /// `TaskPriority`, such as `.background`, are not taken: see ``StandardPriority``.
  @_disfavoredOverload @discardableResult
  public func async(
    priority: some StandardPriority, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), PriorityBand(ofPriority: priority.rawValue), label,
      group, timeToLive,
      atShutdown, body)
  }

  /// Submits `body`, and returns a handle that cancels it and waits for its value. Any thread.
  ///
  /// Releasing the handle cancels nothing. If `body` throws, its outcome is `.failed` with that error.
  ///
  /// - Parameters:
  ///   - priority: The band in which `body` waits.
  ///   - label: A name for reports, errors and tests.
  ///   - group: Entered by this call, and left when the outcome is known, whatever it is.
  ///   - timeToLive: If `body` has not started after this long, it expires. Negative counts as zero.
  ///   - atShutdown: What a shutdown does with `body` if it has not started.
  /// - Returns: A handle. If the submission is refused, the outcome of the handle says so.
  /// - Complexity: Amortised O(1). One allocation beyond the closure, a second for a label, a time to live,
  ///   or a group together with a view, and one for a value that takes up memory.
  @inlinable @discardableResult
  public func submit<Value: Sendable>(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: consuming sending @escaping () throws -> Value
  ) -> TaskHandle<Value> {
    let item = ValueItem(
      kind: .task, queue: self, label: label, site: CallSite(fileID: fileID, line: line),
      band: priority, timeToLive: timeToLive, atShutdown: atShutdown, group: group, body: body)
    _ = implementation.submit(item)
    return TaskHandle(item: item, dispatcher: implementation)
  }

  @usableFromInline func submit(
    at site: CallSite, _ band: PriorityBand, _ label: String?, _ group: WorkGroup?,
    _ timeToLive: Duration?, _ atShutdown: ShutdownBehavior, _ body: @escaping @Sendable () -> Void
  ) -> Admission {
    implementation.submit(
      WorkItem.make(
        kind: .task, queue: self, label: label, site: site, band: band, timeToLive: timeToLive,
        atShutdown: atShutdown, group: group, body: body))
  }
}
