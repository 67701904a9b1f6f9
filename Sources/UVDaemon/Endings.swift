#if Daemon
  internal import TaskDispatch

  /// The handlers that a daemon runs before its dispatcher is shut down, and how far they have come.
  ///
  /// ```
  /// request ──▶ STOPPING=1 ──▶ last handler ──▶ … ──▶ first handler ──▶ shutdown
  ///    └─ one that leaves no time ──────────────────────────────────────▶──┘
  /// ```
  final class Endings: Sendable {
    typealias Deadline = @Sendable () -> Duration

    struct Ending {
      let number: Int
      let deadline: Deadline
      let handler: Handler
    }

    private struct State {
      /// In the order of registration.
      var handlers: [Ending] = []
      var lastNumber = 0
      var phase = Phase.before
      var isCutShort = false
      /// Leaves the handler behind that runs now.
      var leave: (@Sendable () -> Void)?
    }

    private enum Phase {
      case before
      /// The handlers run. Holds the policy of each request to end.
      case running([ShutdownPolicy])
      case over
    }

    private let state = Locked(State())

    /// Adds a handler. Any thread.
    ///
    /// - Returns: Its number. Nil if the end has begun: then it is not added.
    func add(_ deadline: @escaping Deadline, _ handler: Handler) -> Int? {
      state.withLock { state in
        guard case .before = state.phase else { return nil }
        state.lastNumber += 1
        state.handlers.append(
          Ending(number: state.lastNumber, deadline: deadline, handler: handler))
        return state.lastNumber
      }
    }

    /// Removes a handler, unless it has begun. Any thread.
    func remove(_ number: Int) {
      // Released without the lock, since that may run a `deinit`.
      let removed = state.withLock { state in
        state.handlers.firstIndex { $0.number == number }.map { state.handlers.remove(at: $0) }
      }
      withExtendedLifetime(removed) {}
    }

    /// What a request to end has to do next.
    enum Start {
      /// Run the handlers. These are the times that they may take, one after the other.
      case run([Deadline])
      /// Nothing: the handlers run already, and the shutdown follows.
      case isRunning
      /// Begin the shutdown now, once with each of these policies.
      case shutdown([ShutdownPolicy])
    }

    /// Takes a request to end. If its policy leaves no time to drain, the handlers get no time either. Any thread.
    func begin(_ policy: ShutdownPolicy) -> Start {
      let (start, leave, released) = state.withLock {
        state -> (Start, (@Sendable () -> Void)?, [Ending]) in
        var policies = [policy]
        if policy.drain <= .zero { state.isCutShort = true }
        switch state.phase {
        case .over: return (.shutdown(policies), nil, [])
        case .before:
          if policy.drain > .zero, !state.handlers.isEmpty {
            state.phase = .running(policies)
            // Only the closures: they are user code, and the caller evaluates them without the lock.
            return (.run(state.handlers.map(\.deadline)), nil, [])
          }
        case .running(let before):
          policies = before + policies
          if policy.drain > .zero {
            state.phase = .running(policies)
            return (.isRunning, nil, [])
          }
        }
        state.phase = .over
        defer {
          state.handlers = []
          state.leave = nil
        }
        return (.shutdown(policies), state.leave, state.handlers)
      }
      leave?()
      withExtendedLifetime(released) {}
      return start
    }

    /// Whether a request to end has left no time to drain. Any thread.
    var wasCutShort: Bool { state.withLock { $0.isCutShort } }

    /// Whether no further handler is to run, because the shutdown has begun. Any thread.
    var isOver: Bool {
      state.withLock { if case .over = $0.phase { true } else { false } }
    }

    /// Takes out the handler that runs next. Nil if there is none, or if the shutdown has begun.
    func next() -> Ending? {
      state.withLock { state in
        guard case .running = state.phase else { return nil }
        return state.handlers.popLast()
      }
    }

    /// Sets what leaves the running handler behind.
    ///
    /// - Parameter leave: Called if a request leaves no time. Called at once if the shutdown has begun already.
    func onLeaving(_ leave: (@Sendable () -> Void)?) {
      let isOver = state.withLock { state in
        guard case .running = state.phase else { return true }
        state.leave = leave
        return false
      }
      if isOver { leave?() }
    }

    /// Ends the handlers' phase: all have run, or their time is over.
    ///
    /// - Returns: The policies to begin the shutdown with, each once. Nil if it has begun.
    func finish() -> [ShutdownPolicy]? {
      let (policies, released) = state.withLock { state -> ([ShutdownPolicy]?, [Ending]) in
        guard case .running(let policies) = state.phase else { return (nil, []) }
        state.phase = .over
        state.leave = nil
        defer { state.handlers = [] }
        return (policies, state.handlers)
      }
      withExtendedLifetime(released) {}
      return policies
    }
  }
#endif
