#if Daemon
  internal import Logging
  internal import TaskDispatch

  /// Who takes in a part of the configuration anew, and how far a reload has come.
  ///
  /// ```
  /// signal ──▶ RELOADING=1 ──▶ first handler ──▶ second handler ──▶ READY=1
  ///    └─ while one goes on: one more after it ◀───────────────────────┘
  /// ```
  ///
  /// As the ``Teller``, it holds neither the dispatcher nor the daemon.
  final class Reloads: Sendable {
    typealias Perform = @Sendable () async throws -> Void

    private struct Handler {
      let number: Int
      let signal: Signal
      let perform: Perform
    }

    private struct State {
      /// In the order of registration.
      var handlers: [Handler] = []
      var lastNumber = 0
      /// Since the last reload began.
      var asked: Set<Signal> = []
      var isReloading = false
    }

    private let state = Locked(State())
    private let teller: Teller

    init(_ teller: Teller) { self.teller = teller }

    /// Adds a handler, and returns its number. Any thread.
    func add(_ signal: Signal, _ perform: @escaping Perform) -> Int {
      state.withLock { state in
        state.lastNumber += 1
        state.handlers.append(
          Handler(number: state.lastNumber, signal: signal, perform: perform))
        return state.lastNumber
      }
    }

    /// Removes a handler: a reload that goes on leaves it out if it has not come to it. Any thread.
    ///
    /// - Returns: Whether it was there.
    func remove(_ number: Int) -> Bool {
      // Let go of without the lock: that may run anybody's `deinit`.
      let removed = state.withLock { state in
        state.handlers.firstIndex { $0.number == number }.map { state.handlers.remove(at: $0) }
      }
      return removed != nil
    }

    /// Reloads for those who wait for `signal`; after the reload that goes on, if one does. On the
    /// foreground.
    func reload(because signal: Signal, on dispatcher: any TaskDispatcher) {
      let begins = state.withLock { state in
        state.asked.insert(signal)
        return !state.isReloading
      }
      if begins { begin(on: dispatcher) }
    }

    /// On the foreground, while none goes on.
    private func begin(on dispatcher: any TaskDispatcher) {
      let numbers = state.withLock { state in
        let asked = state.asked
        state.asked = []
        let numbers = state.handlers.filter { asked.contains($0.signal) }.map(\.number)
        state.isReloading = !numbers.isEmpty
        return numbers
      }
      guard !numbers.isEmpty, !teller.endIsTold else { return }
      teller.tell([.reloading])
      Task(executorPreference: dispatcher.foreground.executor) {
        var failures: [String] = []
        for number in numbers where !self.teller.endIsTold {
          do {
            try await self.perform(of: number)?()
          } catch {
            self.teller.logger.error("cannot reload: \(error)")
            failures.append("\(error)")
          }
        }
        self.end(failures, on: dispatcher)
      }
    }

    private func perform(of number: Int) -> Perform? {
      state.withLock { $0.handlers.first { $0.number == number }?.perform }
    }

    /// On the foreground.
    private func end(_ failures: [String], on dispatcher: any TaskDispatcher) {
      let again = state.withLock { state in
        state.isReloading = false
        return !state.asked.isEmpty
      }
      guard !teller.endIsTold else { return }
      if failures.isEmpty {
        teller.logger.info("has reloaded")
        teller.tell([.ready, .status("has reloaded")])
      } else {
        teller.tell([.ready, .status("cannot reload: \(failures.joined(separator: "; "))")])
      }
      if again { begin(on: dispatcher) }
    }
  }
#endif
