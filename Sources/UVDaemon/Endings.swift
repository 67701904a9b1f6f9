#if Daemon
  internal import TaskDispatch

  /// What a daemon has to do before its dispatcher closes the gate, and how far that has come.
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
      /// Lets the one that runs be left behind.
      var leave: (@Sendable () -> Void)?
    }

    private enum Phase {
      case before
      /// And how each request to end would have it.
      case running([ShutdownPolicy])
      case over
    }

    private let state = Locked(State())

    /// Adds a handler, and returns its number; nil if the end has begun. Any thread.
    func add(_ deadline: @escaping Deadline, _ handler: Handler) -> Int? {
      state.withLock { state in
        guard case .before = state.phase else { return nil }
        state.lastNumber += 1
        state.handlers.append(
          Ending(number: state.lastNumber, deadline: deadline, handler: handler))
        return state.lastNumber
      }
    }

    /// Removes a handler that has not begun. Any thread.
    func remove(_ number: Int) {
      // Released without the lock: that may run any `deinit`.
      let removed = state.withLock { state in
        state.handlers.firstIndex { $0.number == number }.map { state.handlers.remove(at: $0) }
      }
      withExtendedLifetime(removed) {}
    }

    enum Start {
      /// The handlers have to run, which may take as long as these say together.
      case run([Deadline])
      /// They run, and the shutdown comes after them.
      case isRunning
      /// The shutdown can begin now, once so often, each time by one of these.
      case shutdown([ShutdownPolicy])
    }

    /// The end is asked for. A shutdown that leaves no time to drain leaves none to the handlers either. Any thread.
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
            // Asked for without the lock: that is user code.
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

    /// Whether a request has left no time. Any thread.
    var wasCutShort: Bool { state.withLock { $0.isCutShort } }

    /// Whether none is to run any more. Any thread.
    var isOver: Bool {
      state.withLock { if case .over = $0.phase { true } else { false } }
    }

    /// Takes the handler that runs next; nil if there is none, or none is to run any more.
    func next() -> Ending? {
      state.withLock { state in
        guard case .running = state.phase else { return nil }
        return state.handlers.popLast()
      }
    }

    /// - Parameter leave: Called if the handler that runs now is to be left behind; at once, if that is so.
    func onLeaving(_ leave: (@Sendable () -> Void)?) {
      let isOver = state.withLock { state in
        guard case .running = state.phase else { return true }
        state.leave = leave
        return false
      }
      if isOver { leave?() }
    }

    /// All have run, or their time is over.
    ///
    /// - Returns: By what the shutdown begins, once so often; nil if it has begun.
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
