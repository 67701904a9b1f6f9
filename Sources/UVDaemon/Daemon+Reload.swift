#if Daemon
  public import UVDispatch

  extension Daemon {
    /// Calls `perform` when `signal` asks for a reload, and tells the service manager of that. Any thread.
    ///
    /// Any number of components may each have a handler. A reload calls the handlers of its signal one after the
    /// other, in the order of registration. `RELOADING=1` is sent once before the first handler, and `READY=1` once
    /// after the last. Requests that come during a reload get one more reload after it, however many they are.
    ///
    /// If `perform` throws, the error is logged and becomes the status. The daemon keeps its old configuration and
    /// goes on with the next handler. It also goes on when a handler takes longer than the `reloadTimeout` of the
    /// daemon: that is logged, and the handler's Task is cancelled. A handler that holds the loop cannot be left
    /// behind; that it took too long is logged when it ends. Once the daemon was asked to end, no further handler is
    /// called and no `READY=1` is sent. Before ``ready(_:)``, a reload sends neither notification.
    ///
    /// - Parameters:
    ///   - signal: The signal that asks for this reload.
    ///   - perform: Begins on the foreground, in a Swift Task that prefers it.
    /// - Returns: Cancelling it removes this handler alone, also from a reload that has not come to it. The
    ///   registration keeps the daemon.
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for. Nothing is left behind then.
    @discardableResult
    public func onReload(
      _ signal: Signal = .hangup, fileID: StaticString = #fileID, line: UInt = #line,
      perform: @escaping @Sendable () async throws -> Void
    ) throws(EventRefusal) -> Registration {
      let (reloads, former) = listening.withLock { $0.reloads(teller, reloadTimeout) }
      // These registrations belong to a dispatcher that has ended. Released without the lock, since that may run a
      // `deinit`.
      _ = consume former
      let handler = Handler(
        function: "onReload", site: CallSite(fileID: fileID, line: line), perform: perform)
      let number = reloads.add(signal, handler)
      do throws(EventRefusal) {
        try listen(for: signal, reloads)
      } catch {
        remove(number, of: signal, reloads)
        throw error
      }
      return Registration { [weak reloads] in
        if let reloads { self.remove(number, of: signal, reloads) }
      }
    }

    /// The handlers that the dispatcher has for reloads. This holds the dispatcher, which must not hold this.
    struct Listening {
      /// Only the dispatcher holds it, in its handlers. A handler of a reload may hold the daemon; it is released
      /// with the dispatcher's handlers, at the end of a shutdown.
      private weak var reloads: Reloads?
      /// The dispatcher has one handler for each signal, however many reloads there are for it: with one each, each
      /// would be a reload of its own.
      var signals: [Signal: Ear] = [:]

      struct Ear {
        /// How many handlers of reloads the signal has.
        var count = 0
        var registration: Registration?
      }

      /// The reloads that the dispatcher holds, or new ones, which the caller has to give it.
      ///
      /// - Returns: Also the registrations of former reloads, which the caller has to release without the lock.
      mutating func reloads(
        _ teller: Teller, _ timeout: Duration
      ) -> (Reloads, former: [Signal: Ear]) {
        if let reloads { return (reloads, [:]) }
        let made = Reloads(teller, timeout)
        reloads = made
        let former = signals
        signals = [:]
        return (made, former)
      }
    }

    private func listen(for signal: Signal, _ reloads: Reloads) throws(EventRefusal) {
      let listens = listening.withLock { listening in
        listening.signals[signal, default: Listening.Ear()].count += 1
        return listening.signals[signal]?.registration != nil
      }
      if listens { return }
      let registration = try dispatcher.onSignal(signal, label: "\(signal)") {
        // Not retained: the thread that runs this holds the dispatcher, which holds this closure.
        [unowned dispatcher] _ in reloads.reload(because: signal, on: dispatcher)
      }
      // Another thread may have registered for this signal first.
      let surplus = listening.withLock { listening in
        let other = listening.signals[signal]?.registration
        if other == nil { listening.signals[signal]?.registration = registration }
        return other == nil ? nil : registration
      }
      surplus?.cancel()
    }

    /// Removes a handler, and with the last one of a signal its registration. Further calls for the same handler do
    /// nothing.
    private func remove(_ number: Int, of signal: Signal, _ reloads: Reloads) {
      guard reloads.remove(number) else { return }
      let last = listening.withLock { listening in
        listening.signals[signal]?.count -= 1
        let isLast = listening.signals[signal]?.count == 0
        return isLast ? listening.signals.removeValue(forKey: signal) : nil
      }
      last?.registration?.cancel()
    }
  }
#endif
