import Oracle
import TaskDispatch
import TaskDispatchTesting

/// A descriptor that a handler waits for, and its other side.
///
/// The handler reads little at a time, or nothing, and has to be called again. The lock is held while
/// the library is called, so that reading, writing, closing and registering have one order.
final class Wire: Sendable {
  struct Watch {
    let checker: ReadinessChecker
    let registration: Registration
  }

  struct State {
    var ends: Ends
    var flow: Flow
    var dice: Dice
    /// The handler that waits for the reading end.
    var reader: Watch?
    /// The handler that waits for room at the writing end, and below it how many bytes it has to write.
    /// As long as it exists, only it writes.
    var writer: Watch?
    var left = 0
  }

  let host: any EventHost
  let load: EventLoad
  let name: String
  let interest: Readiness
  let isPump: Bool
  let state: Locked<State>

  /// Nil if the system has no descriptors left.
  init?(at host: any EventHost, _ load: EventLoad, seed: UInt64) {
    var dice = Dice(seed: seed)
    let kinds = Ends.Kind.allCases.dropLast()
    guard let ends = Ends(load.fake == nil ? kinds[dice.roll(kinds.count)] : .none) else {
      return nil
    }
    self.host = host
    self.load = load
    name = "\(ends.kind) \(ends.here) at \(host.dispatcher.foreground.label)"
    interest =
      switch dice.roll(4) {
      case 0 where ends.hasOther: .disconnected
      case 1: .readable
      default: [.readable, .disconnected]
      }
    // A socket buffers many bytes, and then is full.
    isPump = ends.kind == .socket && interest.contains(.readable) && dice.once(in: 2)
    let left = isPump ? 1 + dice.roll(1 << 19) : 0
    state = Locked(
      State(ends: ends, flow: Flow(name, violations: host.violations), dice: dice, left: left))
  }

  var isClosed: Bool { state.withLock { !$0.ends.hereIsOpen } }

  /// Whether its handlers have nothing left to be told.
  var isQuiet: Bool {
    state.withLock { state in
      state.reader == nil || state.left == 0 && state.flow.isQuiet
    }
  }

  /// How far its bytes have come, for people.
  var description: String { state.withLock { $0.flow.state } }

  // MARK: Watching

  /// Registers its handlers. Call it once.
  func watch() {
    state.withLock { state in
      // Another thread may have ended it already.
      guard state.ends.hereIsOpen else { return }
      watchForReading(&state)
      if isPump { watchForRoom(&state) }
    }
  }

  private func watchForReading(_ state: inout State) {
    let checker = ReadinessChecker(
      interest: interest.rawValue, name: name, violations: host.violations)
    state.reader = register(state.ends.here, interest, checker) { self.comes($0, checker) }
    tellFake(state)
  }

  private func watchForRoom(_ state: inout State) {
    let checker = ReadinessChecker(
      interest: Readiness.writable.rawValue, name: "\(name), writing", violations: host.violations)
    state.writer = register(state.ends.there, .writable, checker) { self.hasRoom($0, checker) }
  }

  private func register(
    _ descriptor: CInt, _ interest: Readiness, _ checker: ReadinessChecker,
    _ perform: @escaping @Sendable (Readiness) -> Void
  ) -> Watch? {
    do {
      let registration = try host.dispatcher.onReady(descriptor, for: interest, perform: perform)
      return Watch(checker: checker, registration: registration)
    } catch {
      host.checkRefusal(error, of: "a handler of \(name)")
      return nil
    }
  }

  /// Cancels its handler and registers another one at once.
  func watchAgain() {
    state.withLock { state in
      guard let reader = state.reader.take(), state.ends.hereIsOpen else { return }
      host.cancel(reader.registration, reader.checker.calls)
      watchForReading(&state)
    }
  }

  /// Tries to register a second handler, which must be refused.
  func watchTwice() {
    state.withLock { state in
      guard state.reader != nil else { return }
      do {
        try host.dispatcher.onReady(state.ends.here, for: .readable) { _ in }.cancel()
        host.violations.report(.events, nil, "\(name) was watched by two handlers")
      } catch EventRefusal.alreadyWatched(let number) where number == state.ends.here {
      } catch { host.checkRefusal(error, of: "a second handler of \(name)") }
    }
  }

  // MARK: Ending

  /// Cancels its handler from the calling thread. The descriptor stays open for a call that has begun.
  func unwatch() {
    state.withLock { state in
      if let reader = state.reader.take() { host.cancel(reader.registration, reader.checker.calls) }
    }
  }

  /// Cancels its handlers and closes it. Call it on the foreground.
  func end() { state.withLock { close(&$0) } }

  func close(_ state: inout State) {
    if let reader = state.reader.take() { host.cancel(reader.registration, reader.checker.calls) }
    finishWriting(&state)
    state.ends.closeHere()
  }

  /// Its dispatcher has ended, and has removed its handlers itself.
  func reported() {
    state.withLock { state in
      state.reader?.checker.calls.reported()
      state.writer?.checker.calls.reported()
      (state.reader, state.writer) = (nil, nil)
      state.flow.closes()
      state.ends.closeThere()
      state.ends.closeHere()
    }
  }
}
