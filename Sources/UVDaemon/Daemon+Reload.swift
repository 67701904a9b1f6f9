#if Daemon
  internal import Logging
  public import UVDispatch

  extension Daemon {
    /// Calls `perform` when `signal` asks for a reload, and tells the service manager when that begins
    /// and ends. Whatever asks while one goes on gets one more after it, however often it asks. Any
    /// thread.
    ///
    /// An error of `perform` is logged and becomes the status: the daemon goes on with what it had. Once
    /// a signal has asked the daemon to end, it reloads no more.
    ///
    /// Once: what asks while a reload goes on gets the body of that one.
    ///
    /// - Parameter perform: Begins on the foreground, in a Swift Task that prefers it.
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for.
    @discardableResult
    public func onReload(
      _ signal: Signal = .hangup, perform: @escaping @Sendable () async throws -> Void
    ) throws(EventRefusal) -> Registration {
      try dispatcher.onSignal(signal, label: "\(signal)") { _ in self.reload(perform) }
    }

    /// On the foreground.
    private func reload(_ perform: @escaping @Sendable () async throws -> Void) {
      let begins = state.withValue { state in
        guard state.requestsToEnd == 0 else { return false }
        state.reloadsAgain = state.isReloading
        defer { state.isReloading = true }
        return !state.isReloading
      }
      guard begins else { return }
      tell([.reloading])
      Task(executorPreference: dispatcher.foreground.executor) {
        var failure: (any Error)?
        do { try await perform() } catch { failure = error }
        self.endReload(failure, perform)
      }
    }

    /// On the foreground.
    private func endReload(
      _ failure: (any Error)?, _ perform: @escaping @Sendable () async throws -> Void
    ) {
      if let failure {
        logger.error("cannot reload: \(failure)")
      } else {
        logger.info("has reloaded")
      }
      let (goesOn, again) = state.withValue { state in
        state.isReloading = false
        return (state.requestsToEnd == 0, state.reloadsAgain)
      }
      guard goesOn else { return }
      tell([.ready, .status(failure.map { "cannot reload: \($0)" } ?? "has reloaded")])
      if again { reload(perform) }
    }
  }
#endif
