// Without these, the compiler would say of a body that throws or awaits that no overload matches, and list them all. They
// are never called.
extension TaskQueue {
  @available(
    *, unavailable,
    message:
      "this body cannot throw: handle the error in it, or use submit or run, whose bodies may throw"
  )
  @_disfavoredOverload @discardableResult
  public func callAsFunction(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Void
  ) -> Admission { refuse("a body that throws") }

  @available(
    *, unavailable,
    message:
      "this body cannot await: start a Task(executorPreference: queue.executor) { … } instead"
  )
  @_disfavoredOverload @discardableResult
  public func callAsFunction(
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Void
  ) -> Admission { refuse("a body that awaits") }

  @available(
    *, unavailable,
    message:
      "this body cannot throw: handle the error in it, or use submit or run, whose bodies may throw"
  )
  @_disfavoredOverload @discardableResult
  public func async(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Void
  ) -> Admission { refuse("a body that throws") }

  @available(
    *, unavailable,
    message:
      "this body cannot await: start a Task(executorPreference: queue.executor) { … } instead"
  )
  @_disfavoredOverload @discardableResult
  public func async(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Void
  ) -> Admission { refuse("a body that awaits") }
}
