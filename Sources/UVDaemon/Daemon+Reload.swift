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
    /// An error of `perform` is logged and becomes the status: the daemon goes on with what it had, and
    /// with the next handler. Once the daemon was asked to end, no handler is called any more, and it is
    /// not told to be ready.
    ///
    /// - Parameter perform: Begins on the foreground, in a Swift Task that prefers it.
    /// - Returns: Cancelling it removes the handler, also from a reload that has not come to it, and has
    ///   no part in those of others. It keeps the daemon.
    /// - Throws: ``EventRefusal`` for a signal that cannot be waited for. Nothing is left behind then.
    @discardableResult
    public func onReload(
      _ signal: Signal = .hangup, perform: @escaping @Sendable () async throws -> Void
    ) throws(EventRefusal) -> Registration {
      let number = reloads.add(signal, perform)
      do throws(EventRefusal) {
        try listen(for: signal)
      } catch {
        removeReload(number, of: signal)
        throw error
      }
      return Registration { self.removeReload(number, of: signal) }
    }

    /// One handler of the dispatcher's for all reloads of a signal: each of their own would be another
    /// reload.
    struct Listening {
      /// How many handlers of reloads there are.
      var count = 0
      /// Holds the dispatcher: what that holds must not hold this.
      var registration: Registration?
    }

    private func listen(for signal: Signal) throws(EventRefusal) {
      let listens = listening.withLock { listening in
        listening[signal, default: Listening()].count += 1
        return listening[signal]?.registration != nil
      }
      if listens { return }
      let registration = try dispatcher.onSignal(signal, label: "\(signal)") {
        // Not retained: whoever runs this holds the dispatcher, which holds this.
        [reloads, unowned dispatcher] _ in reloads.reload(because: signal, on: dispatcher)
      }
      // Somebody else may have come first.
      let surplus = listening.withLock { listening in
        let other = listening[signal]?.registration
        if other == nil { listening[signal]?.registration = registration }
        return other == nil ? nil : registration
      }
      surplus?.cancel()
    }

    /// Any number of times, as of a registration: only the first finds the handler.
    private func removeReload(_ number: Int, of signal: Signal) {
      guard reloads.remove(number) else { return }
      let last = listening.withLock { listening in
        listening[signal]?.count -= 1
        return listening[signal]?.count == 0 ? listening.removeValue(forKey: signal) : nil
      }
      last?.registration?.cancel()
    }
  }
#endif
