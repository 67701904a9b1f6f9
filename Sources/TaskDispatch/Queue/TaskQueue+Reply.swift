/// Work whose result goes to the foreground.
extension TaskQueue {
  /// Submits `body` in the medium band, and hands its result to `then` on the foreground.
  ///
  /// The reply counts against no limit. If `body` never runs, because it expired or a shutdown cancelled
  /// it, neither does `then`.
  ///
  /// - Parameters:
  ///   - label: The label of `body` and of its reply. Without any option, both are plain bodies: a report may
  ///     not know how long they waited.
  ///   - group: Entered now, by `body`, and left when the outcome of the reply is known, or of `body` if there
  ///     is no reply.
  ///   - timeToLive: If `body` has not started after this long, it expires.
  ///   - atShutdown: What a shutdown does with `body` if it has not started.
  /// - Returns: Whether `body` was accepted. If it was, and ran, the reply is accepted too, unless a
  ///   shutdown cancels by then.
  @inlinable @discardableResult
  public func callAsFunction<Value>(
    label: String? = nil, group: WorkGroup? = nil, timeToLive: Duration? = nil,
    atShutdown: ShutdownBehavior = .drain, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> sending Value,
    then: @escaping @Sendable (sending Result<Value, any Error>) -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), label, group, timeToLive, atShutdown, body,
      then: then)
  }

  /// As the other, with `body` in the band of `priority`; medium if that is nil.
  @inlinable @discardableResult
  public func callAsFunction<Value>(
    priority: TaskPriority?, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> sending Value,
    then: @escaping @Sendable (sending Result<Value, any Error>) -> Void
  ) -> Admission {
    submit(
      at: site(priority, fileID, line), label, group, timeToLive, atShutdown, body, then: then)
  }

  /// As the other, for a `body` that is a function and not a closure, and for results that anybody may
  /// have.
  @inlinable @discardableResult
  public func callAsFunction<Value: Sendable>(
    label: String? = nil, group: WorkGroup? = nil, timeToLive: Duration? = nil,
    atShutdown: ShutdownBehavior = .drain, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), label, group, timeToLive, atShutdown, body,
      then: then)
  }

  /// As the other, with `body` in the band of `priority`; medium if that is nil.
  @inlinable @discardableResult
  public func callAsFunction<Value: Sendable>(
    priority: TaskPriority?, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Admission {
    submit(
      at: site(priority, fileID, line), label, group, timeToLive, atShutdown, body, then: then)
  }

  /// - Parameter body: Keeps nothing of what it makes, unless anybody may have it.
  // In the caller's module, where the compiler knows the type of the result: to look it up at run time takes
  // as long as all the rest.
  @inlinable @inline(__always) func submit<Value>(
    at site: CallSite, _ label: String?, _ group: WorkGroup?, _ timeToLive: Duration?,
    _ atShutdown: ShutdownBehavior, _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (sending Result<Value, any Error>) -> Void
  ) -> Admission {
    let dispatcher = dispatcher
    if label == nil, group == nil, timeToLive == nil, atShutdown == .drain {
      return dispatcher.post(
        {
          var result: Transfer? = Transfer(Result(catching: body))
          // Moved out: what `then` lets go of is gone, and what it alone has it may change in place.
          dispatcher.reply({ then(result.take()!.take()) }, at: site)
        }, on: self, at: site)
    }
    return submit(at: site, label, group, timeToLive, atShutdown) {
      var result: Transfer? = Transfer(Result(catching: body))
      dispatcher.reply({ then(result.take()!.take()) }, at: site, label, group)
    }
  }
}

extension TaskDispatcher {
  public func reply(_ body: consuming sending @escaping () -> Void, at site: CallSite) {
    reply(body, at: site, nil, nil)
  }

  @usableFromInline func reply(
    _ body: consuming sending @escaping () -> Void, at site: CallSite, _ label: String?,
    _ group: WorkGroup?
  ) {
    _ = submit(
      WorkItem.make(
        kind: .reply, queue: foreground, label: label, site: site, group: group, body: body))
  }
}
