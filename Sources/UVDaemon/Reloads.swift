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
      /// The reload that goes on.
      var current: Current?
      var lastReload = 0
    }

    private struct Current {
      let number: Int
      var task: Task<Void, Never>?
      var timeout: TimerHandle?
    }

    private let state = Locked(State())
    private let teller: Teller
    private let timeout: Duration

    init(_ teller: Teller, _ timeout: Duration) { (self.teller, self.timeout) = (teller, timeout) }

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
        return state.current == nil
      }
      if begins { return begin(on: dispatcher) }
      teller.logger.info("\(signal): a reload goes on, and one more comes after it")
    }

    /// On the foreground, while none goes on.
    private func begin(on dispatcher: any TaskDispatcher) {
      let (numbers, reload) = state.withLock { state in
        let asked = state.asked
        state.asked = []
        let numbers = state.handlers.filter { asked.contains($0.signal) }.map(\.number)
        state.lastReload += 1
        if !numbers.isEmpty { state.current = Current(number: state.lastReload) }
        return (numbers, state.lastReload)
      }
      guard !numbers.isEmpty else { return }
      guard teller.tellOfReload() else { return state.withLock { $0.current = nil } }
      // The dispatcher is not held: it holds its timers.
      let timer = dispatcher.foreground.after(timeout, label: "reload takes too long") {
        [unowned dispatcher] in self.giveUp(reload, on: dispatcher)
      }
      let task = Task(executorPreference: dispatcher.foreground.executor) {
        var failures: [String] = []
        for number in numbers where !self.teller.endIsTold && self.isCurrent(reload) {
          do {
            try await self.perform(of: number)?()
          } catch {
            self.teller.logger.error("cannot reload: \(error)")
            failures.append("\(error)")
          }
        }
        self.end(reload, failures, on: dispatcher)
      }
      state.withLock { state in
        guard state.current?.number == reload else { return }
        state.current?.task = task
        state.current?.timeout = timer
      }
    }

    private func isCurrent(_ reload: Int) -> Bool {
      state.withLock { $0.current?.number == reload }
    }

    private func perform(of number: Int) -> Perform? {
      state.withLock { $0.handlers.first { $0.number == number }?.perform }
    }

    /// Ends the reload that goes on. On the foreground.
    ///
    /// - Returns: What it was; nil if that was another. And whether another was asked for.
    private func takeCurrent(_ reload: Int) -> (current: Current, again: Bool)? {
      state.withLock { state in
        guard let current = state.current, current.number == reload else { return nil }
        state.current = nil
        return (current, !state.asked.isEmpty)
      }
    }

    private func end(_ reload: Int, _ failures: [String], on dispatcher: any TaskDispatcher) {
      guard let (current, again) = takeCurrent(reload) else {
        return teller.logger.info("a reload that had taken too long has ended")
      }
      current.timeout?.cancel()
      guard !teller.endIsTold else { return }
      if failures.isEmpty { teller.logger.info("has reloaded") }
      teller.tellOfReloadsEnd(
        failures.isEmpty
          ? "has reloaded" : "cannot reload: \(failures.joined(separator: "; "))")
      if again { begin(on: dispatcher) }
    }

    private func giveUp(_ reload: Int, on dispatcher: any TaskDispatcher) {
      guard let (current, again) = takeCurrent(reload) else { return }
      current.task?.cancel()
      guard !teller.endIsTold else { return }
      let text = "a reload has not ended in \(timeout.shortText)"
      teller.logger.error("cannot reload: \(text); its Task is cancelled")
      teller.tellOfReloadsEnd("cannot reload: \(text)")
      if again { begin(on: dispatcher) }
    }
  }
#endif
