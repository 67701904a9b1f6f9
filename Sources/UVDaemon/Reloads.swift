#if Daemon
  internal import Logging
  internal import TaskDispatch

  /// The handlers of reloads, each for a part of the configuration, and how far a reload has come.
  ///
  /// ```
  /// signal ──▶ RELOADING=1 ──▶ first handler ──▶ second handler ──▶ READY=1
  ///    └─ while one goes on: one more after it ◀───────────────────────┘
  /// ```
  ///
  /// It holds neither the dispatcher nor the daemon.
  final class Reloads: Sendable {
    private struct Registered {
      let number: Int
      let signal: Signal
      let handler: Handler
    }

    private struct State {
      /// In the order of registration.
      var handlers: [Registered] = []
      var lastNumber = 0
      /// The signals that came since the last reload began.
      var asked: Set<Signal> = []
      var isGoingOn = false
    }

    private let state = Locked(State())
    private let teller: Teller
    private let timeout: Duration

    init(_ teller: Teller, _ timeout: Duration) { (self.teller, self.timeout) = (teller, timeout) }

    /// Adds a handler, and returns its number. Any thread.
    func add(_ signal: Signal, _ handler: Handler) -> Int {
      state.withLock { state in
        state.lastNumber += 1
        state.handlers.append(
          Registered(number: state.lastNumber, signal: signal, handler: handler))
        return state.lastNumber
      }
    }

    /// Removes a handler. If a reload goes on and has not come to the handler, it skips it. Any thread.
    ///
    /// - Returns: Whether the handler was there.
    func remove(_ number: Int) -> Bool {
      // Released without the lock, since that may run a `deinit`.
      let removed = state.withLock { state in
        state.handlers.firstIndex { $0.number == number }.map { state.handlers.remove(at: $0) }
      }
      return removed != nil
    }

    /// Runs a reload for `signal`. If a reload goes on, another follows it. On the foreground.
    func reload(because signal: Signal, on dispatcher: any TaskDispatcher) {
      let begins = state.withLock { state in
        state.asked.insert(signal)
        return !state.isGoingOn
      }
      if begins { return begin(on: dispatcher) }
      teller.logger.info("\(signal): a reload goes on, and one more comes after it")
    }

    /// Begins a reload with the handlers of all signals that came. On the foreground, while no reload goes on.
    private func begin(on dispatcher: any TaskDispatcher) {
      let numbers = state.withLock { state in
        let asked = state.asked
        state.asked = []
        let numbers = state.handlers.filter { asked.contains($0.signal) }.map(\.number)
        state.isGoingOn = !numbers.isEmpty
        return numbers
      }
      guard !numbers.isEmpty else { return }
      guard teller.tellOfReload() else { return state.withLock { $0.isGoingOn = false } }
      Task(executorPreference: dispatcher.foreground.executor) {
        var failures: [String] = []
        for number in numbers where !self.teller.endIsTold {
          guard let handler = self.handler(number) else { continue }
          if let failure = await self.call(handler, on: dispatcher) { failures.append(failure) }
        }
        self.end(failures, on: dispatcher)
      }
    }

    private func handler(_ number: Int) -> Handler? {
      state.withLock { $0.handlers.first { $0.number == number }?.handler }
    }

    /// Runs one handler of the reload.
    ///
    /// - Returns: What went wrong, which was logged. Nil if nothing did.
    private func call(_ handler: Handler, on dispatcher: any TaskDispatcher) async -> String? {
      let logger = teller.logger
      switch await handler.call(on: dispatcher, within: timeout, logger: logger) {
      case .ended: return nil
      case .failed(let error):
        logger.error("cannot reload: \(error)", metadata: ["site": "\(handler.site)"])
        return error
      case .leftBehind(let text):
        logger.error("cannot reload: \(text); its Task is cancelled")
        return text
      }
    }

    private func end(_ failures: [String], on dispatcher: any TaskDispatcher) {
      let again = state.withLock { state in
        state.isGoingOn = false
        return !state.asked.isEmpty
      }
      guard !teller.endIsTold else { return }
      if failures.isEmpty { teller.logger.info("has reloaded") }
      teller.tellOfReloadsEnd(
        failures.isEmpty
          ? "has reloaded" : "cannot reload: \(failures.joined(separator: "; "))")
      if again { begin(on: dispatcher) }
    }
  }
#endif
