#if Daemon
  public import UVDispatch

  extension Daemon {
    /// Calls `perform` when `signal` asks for a reload, and tells the service manager when that begins
    /// and ends. Any thread.
    ///
    /// Any number of components may each have a handler. A reload calls those of its signal one after
    /// the other, in the order of registration: `RELOADING=1` is told once before the first, and
    /// `READY=1` once after the last. What asks while a reload goes on gets one more after it, however
    /// often it asks.
    ///
    /// An error of `perform` is logged and becomes the status: the daemon goes on with what it had, and with the next
    /// handler. So it does after a handler that takes longer than the `reloadTimeout` of the daemon, whose Task is
    /// cancelled. One that holds the loop cannot be left behind; that it took longer is logged. Once the daemon was
    /// asked to end, no further handler is called, and it is not told to be ready; nor by a reload before ``ready(_:)``.
    ///
    /// - Parameter perform: Begins on the foreground, in a Swift Task that prefers it.
    /// - Returns: Cancelling it removes the handler, also from a reload that has not come to it, and has
    ///   no part in those of others. It keeps the daemon.
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for. Nothing is left behind then.
    @discardableResult
    public func onReload(
      _ signal: Signal = .hangup, fileID: StaticString = #fileID, line: UInt = #line,
      perform: @escaping @Sendable () async throws -> Void
    ) throws(EventRefusal) -> Registration {
      let (reloads, former) = listening.withLock { $0.reloads(teller, reloadTimeout) }
      // Registrations of a dispatcher that has ended: released without the lock, which may run a `deinit`.
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

    /// What of the dispatcher's is there for reloads. It holds the dispatcher, which must not hold it.
    struct Listening {
      /// Held by the dispatcher, in its handlers, and by nobody else: a handler of a reload may hold the
      /// daemon, and goes when the dispatcher lets go of its own, at the end of a shutdown.
      private weak var reloads: Reloads?
      /// One handler of the dispatcher's for all reloads of a signal: each of their own would be another
      /// reload.
      var signals: [Signal: Ear] = [:]

      struct Ear {
        /// How many handlers of reloads there are.
        var count = 0
        var registration: Registration?
      }

      /// Those that the dispatcher holds; or new ones, which the caller has to give it.
      ///
      /// - Returns: Also what belonged to those before, which the caller has to release without the lock.
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
        // Not retained: whoever runs this holds the dispatcher, which holds this.
        [unowned dispatcher] _ in reloads.reload(because: signal, on: dispatcher)
      }
      // Somebody else may have come first.
      let surplus = listening.withLock { listening in
        let other = listening.signals[signal]?.registration
        if other == nil { listening.signals[signal]?.registration = registration }
        return other == nil ? nil : registration
      }
      surplus?.cancel()
    }

    /// Any number of times, as of a registration: only the first finds the handler.
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
