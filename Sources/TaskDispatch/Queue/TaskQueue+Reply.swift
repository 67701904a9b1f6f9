/// Work whose result goes to the foreground.
extension TaskQueue {
  /// Submits `body`, and passes its result to `then` on the foreground.
  ///
  /// The reply counts against no limit. If `body` never runs, because it expired or a shutdown cancelled it,
  /// `then` does not run either. Any thread.
  ///
  /// - Parameters:
  ///   - priority: The band in which `body` waits.
  ///   - label: The label of `body` and of its reply. Without any option, both are plain bodies: the report
  ///     of a shutdown may then lack the time that they waited.
  ///   - group: Entered by this call, for `body`. Left when the outcome of the reply is known, or the outcome
  ///     of `body` if there is no reply.
  ///   - timeToLive: If `body` has not started after this long, it expires.
  ///   - atShutdown: What a shutdown does with `body` if it has not started.
  /// - Returns: Whether `body` was accepted. If it was accepted and ran, the reply is accepted too, unless a
  ///   shutdown has reached its cancel phase by then.
  @inlinable @discardableResult
  public func async<Value>(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> sending Value,
    then: @escaping @Sendable (sending Result<Value, any Error>) -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), priority, label, group, timeToLive, atShutdown,
      body, then: then)
  }

  /// Submits `body`, and passes its `Sendable` result to `then` on the foreground.
  ///
  /// This overload takes a `body` that is a function and not a closure, and results that any thread may
  /// share. Otherwise it is ``async(priority:label:group:timeToLive:atShutdown:fileID:line:_:then:)``.
  @inlinable @discardableResult
  public func async<Value: Sendable>(
    priority: PriorityBand = .medium, label: String? = nil, group: WorkGroup? = nil,
    timeToLive: Duration? = nil, atShutdown: ShutdownBehavior = .drain,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> Admission {
    submit(
      at: CallSite(fileID: fileID, line: line), priority, label, group, timeToLive, atShutdown,
      body, then: then)
  }

  /// - Parameter body: Keeps no reference to its result, unless the result is `Sendable`.
  // Inlined into the caller's module, where the compiler knows the type of the result. Looking that type up
  // at run time takes as long as all the rest.
  @inlinable @inline(__always) func submit<Value>(
    at site: CallSite, _ band: PriorityBand, _ label: String?, _ group: WorkGroup?,
    _ timeToLive: Duration?, _ atShutdown: ShutdownBehavior,
    _ body: @escaping @Sendable () throws -> Value,
    then: @escaping @Sendable (sending Result<Value, any Error>) -> Void
  ) -> Admission {
    let dispatcher = implementation
    if band == .medium, label == nil, group == nil, timeToLive == nil, atShutdown == .drain {
      return dispatcher.post(
        {
          var result: Transfer? = Transfer(Result(catching: body))
          // Moved out of the optional. So what `then` releases is freed at once, and a value that `then`
          // alone refers to can be changed in place.
          dispatcher.reply({ then(result.take()!.take()) }, at: site)
        }, on: self, at: site)
    }
    return submit(at: site, band, label, group, timeToLive, atShutdown) {
      var result: Transfer? = Transfer(Result(catching: body))
      dispatcher.reply({ then(result.take()!.take()) }, at: site, label, group)
    }
  }
}
