// Without these, the compiler would say of a body that throws or awaits that no overload matches, and list them all. They
// are never called. The calls that have one overload need none: there the compiler says it in a sentence of its own.
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

  @available(
    *, unavailable,
    message:
      "this body cannot await: start a Task(executorPreference: queue.executor) { … } instead"
  )
  @_disfavoredOverload @discardableResult
  public func async<Value>(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Admission { refuse("a body that awaits") }

  @available(
    *, unavailable,
    message:
      "what follows `then:` can neither throw nor await: handle the error of the Result in it"
  )
  @_disfavoredOverload @discardableResult
  public func async<Value>(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) async throws -> Void
  ) -> Admission { refuse("a reply that throws or awaits") }
}
