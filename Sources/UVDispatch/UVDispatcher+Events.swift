public import TaskDispatch

extension UVDispatcher: EventDispatcher {
  /// Calls `perform` on the foreground after each burst of deliveries of `signal`. See ``EventDispatcher``. Any
  /// thread, also before the loop runs.
  ///
  /// The registration keeps the dispatcher, as a handle does. A handler that refers to the dispatcher keeps it too,
  /// until the registration is cancelled or a shutdown has ended.
  ///
  /// - Throws: ``EventRefusal`` for a signal that cannot be handled, during a shutdown, in a forked child, or if the
  ///   system refuses. Nothing is left behind then.
  /// - Complexity: A system call for the first handler of a signal. Each delivery costs a write to a descriptor for
  ///   each handler, on the thread that the kernel has chosen for the signal.
  public func onSignal(
    _ signal: Signal, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ deliveries: Int) -> Void
  ) throws(EventRefusal) -> Registration {
    if ForkGuard.isForked { throw .forkedChild }
    if let refusal = signal.refusal { throw refusal }
    return try register(signal.description, label: label, at: site) {
      _, _ throws(EventRefusal) in
      do throws(UVError) {
        return .signal(try engine.loop.watch(signal), perform: perform)
      } catch {
        throw .system(error.description)
      }
    }
  }

  /// Calls `perform` on the foreground while `descriptor` is ready for `interest`. See ``EventDispatcher``. Any
  /// thread, also before the loop runs.
  ///
  /// The registration keeps the dispatcher, as a handle does. A handler that refers to the dispatcher keeps it too,
  /// until the registration is cancelled or a shutdown has ended.
  ///
  /// - Throws: ``EventRefusal`` for a descriptor that cannot be watched or is watched already, for an empty
  ///   `interest`, during a shutdown, in a forked child, or if the system refuses. Nothing is left behind then.
  /// - Complexity: A system call, and another for each call of `perform`.
  public func onReady(
    _ descriptor: CInt, for interest: Readiness, label: String?, at site: CallSite,
    perform: @escaping @Sendable (_ ready: Readiness) -> Void
  ) throws(EventRefusal) -> Registration {
    if ForkGuard.isForked { throw .forkedChild }
    guard descriptor >= 0 else { throw .notOpen(descriptor) }
    guard !interest.isEmpty else { throw .nothingToWatchFor(descriptor) }
    return try register("descriptor \(descriptor) (\(interest))", label: label, at: site) {
      core, number throws(EventRefusal) in
      try core.requireUnwatched(descriptor)
      let set = try core.readySet()
      try set.add(descriptor, for: interest, token: number)
      return .descriptor(descriptor, interest, set, perform: perform)
    }
  }

  private func register(
    _ name: String, label: String?, at site: CallSite,
    _ watch: (Core, _ number: UInt64) throws(EventRefusal) -> EventHandler.Source
  ) throws(EventRefusal) -> Registration {
    let handler = try engine.withCore { core throws(EventRefusal) in
      try core.register(name, label: label, at: site) { number throws(EventRefusal) in
        try watch(core, number)
      }
    }
    let registration = Registration {
      if ForkGuard.isForked { return }
      self.engine.withCore { $0.remove(handler) }
    }
    // The loop's thread may have begun the first call before this. If that call has cancelled itself, it found no
    // registration to mark.
    let isCancelled = engine.withCore { _ in
      handler.registration = registration
      return handler.cancelsItself
    }
    if isCancelled { registration.cancel() }
    return registration
  }
}
