import Oracle
import TaskDispatch
import TaskDispatchTesting

/// A descriptor that somebody waits for, and its other side.
///
/// Its handler reads little at a time, or nothing, and has to be called again. The lock is held while
/// the library is called, so that what is read, written, closed and registered has one order.
final class Wire: Sendable {
  struct Watch {
    let judge: ReadinessJudge
    let registration: Registration
  }

  struct State {
    var ends: Ends
    var flow: Flow
    var dice: Dice
    /// Who waits for the end that is read.
    var reader: Watch?
    /// Who waits for the other to have room, and how much it has to write: until then nobody else does.
    var writer: Watch?
    var left = 0
  }

  let host: any EventHost
  let load: EventLoad
  let name: String
  let interest: Readiness
  let isPump: Bool
  let state: Locked<State>

  /// Nil if the system has no room for it.
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
    // A socket has much room, and fills up.
    isPump = ends.kind == .socket && interest.contains(.readable) && dice.once(in: 2)
    let left = isPump ? 1 + dice.roll(1 << 19) : 0
    state = Locked(
      State(ends: ends, flow: Flow(name, court: host.court), dice: dice, left: left))
  }

  var isClosed: Bool { state.withLock { !$0.ends.hereIsOpen } }

  /// Whether nothing is left to be told of it.
  var isQuiet: Bool {
    state.withLock { state in
      state.reader == nil || state.left == 0 && state.flow.isQuiet
    }
  }

  /// For somebody who has to find out why it is not.
  var description: String { state.withLock { $0.flow.state } }

  // MARK: Watching

  /// Registers its handlers. Once.
  func watch() {
    state.withLock { state in
      // Somebody may have ended it already.
      guard state.ends.hereIsOpen else { return }
      watchForReading(&state)
      if isPump { watchForRoom(&state) }
    }
  }

  private func watchForReading(_ state: inout State) {
    let judge = ReadinessJudge(interest: interest.rawValue, name: name, court: host.court)
    state.reader = register(state.ends.here, interest, judge) { self.comes($0, judge) }
    tellFake(state)
  }

  private func watchForRoom(_ state: inout State) {
    let judge = ReadinessJudge(
      interest: Readiness.writable.rawValue, name: "\(name), writing", court: host.court)
    state.writer = register(state.ends.there, .writable, judge) { self.hasRoom($0, judge) }
  }

  private func register(
    _ descriptor: CInt, _ interest: Readiness, _ judge: ReadinessJudge,
    _ perform: @escaping @Sendable (Readiness) -> Void
  ) -> Watch? {
    do {
      let registration = try host.dispatcher.onReady(descriptor, for: interest, perform: perform)
      return Watch(judge: judge, registration: registration)
    } catch {
      host.judgeRefusal(error, of: "a handler of \(name)")
      return nil
    }
  }

  /// Cancels its handler and registers another at once.
  func watchAgain() {
    state.withLock { state in
      guard let reader = state.reader.take(), state.ends.hereIsOpen else { return }
      host.cancel(reader.registration, reader.judge.calls)
      watchForReading(&state)
    }
  }

  /// A second handler is refused.
  func watchTwice() {
    state.withLock { state in
      guard state.reader != nil else { return }
      do {
        try host.dispatcher.onReady(state.ends.here, for: .readable) { _ in }.cancel()
        host.court.report(.events, nil, "\(name) was watched by two handlers")
      } catch EventRefusal.alreadyWatched(let number) where number == state.ends.here {
      } catch { host.judgeRefusal(error, of: "a second handler of \(name)") }
    }
  }

  // MARK: Ending

  /// Cancels its handlers from this thread; it stays open for a call that has begun.
  func unwatch() {
    state.withLock { state in
      if let reader = state.reader.take() { host.cancel(reader.registration, reader.judge.calls) }
    }
  }

  /// Cancels its handlers and closes it. On the foreground.
  func end() { state.withLock { close(&$0) } }

  func close(_ state: inout State) {
    if let reader = state.reader.take() { host.cancel(reader.registration, reader.judge.calls) }
    finishWriting(&state)
    state.ends.closeHere()
  }

  /// Its dispatcher has ended, and has removed its handlers itself.
  func reported() {
    state.withLock { state in
      state.reader?.judge.calls.reported()
      state.writer?.judge.calls.reported()
      (state.reader, state.writer) = (nil, nil)
      state.flow.closes()
      state.ends.closeThere()
      state.ends.closeHere()
    }
  }
}
