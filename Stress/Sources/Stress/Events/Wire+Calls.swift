import Oracle
import TaskDispatch
import TaskDispatchTesting

extension Wire {
  // MARK: Being told

  func comes(_ ready: Readiness, _ checker: ReadinessChecker) {
    host.called { [self] in
      checker.told(ready.rawValue)
      state.withLock { state in
        // The handler may have been removed, and another one be there in its place.
        guard state.reader?.checker === checker else { return }
        // If it reads nothing, it is told of the bytes again.
        if !state.dice.once(in: 4) { read(ready, &state) }
        tellFake(state)
      }
    }
  }

  private func read(_ ready: Readiness, _ state: inout State) {
    let most = isPump ? 1 << 14 : 1 + state.dice.roll(3)
    let found = state.ends.read(most)
    if case .bytes(let count) = found { load.world.totals.bytes.add(count) }
    state.flow.reads(
      found, toldReadable: ready.contains(.readable), toldGone: ready.contains(.disconnected))
    if case .end = found { close(&state) }
  }

  func hasRoom(_ ready: Readiness, _ checker: ReadinessChecker) {
    host.called { [self] in
      checker.told(ready.rawValue)
      state.withLock { state in
        guard state.writer?.checker === checker else { return }
        switch state.ends.write(min(state.left, 1 << 13)) {
        case 0?: state.flow.isFull()
        case let count?:
          state.flow.writes(count)
          state.left -= count
        case nil: state.left = 0
        }
        if state.left == 0 { finishWriting(&state) }
      }
    }
  }

  func finishWriting(_ state: inout State) {
    if let writer = state.writer.take() { host.cancel(writer.registration, writer.checker.calls) }
    state.flow.closes()
    state.ends.closeThere()
  }

  // MARK: The other side

  /// Writes to the other side. False if no handler would read it.
  func write(_ count: Int) -> Bool {
    state.withLock { state in
      guard !isPump, interest.contains(.readable), state.ends.hereIsOpen, state.ends.thereIsOpen
      else { return false }
      state.flow.writes(state.ends.write(count) ?? 0)
      tellFake(state)
      return true
    }
  }

  /// Closes the other side. False if there is none, or if it is closed already.
  func closeOther() -> Bool {
    state.withLock { state in
      guard !isPump, state.ends.hasOther, state.ends.thereIsOpen, state.ends.hereIsOpen else {
        return false
      }
      state.flow.closes()
      state.ends.closeThere()
      tellFake(state)
      return true
    }
  }

  /// Tells the fake what is ready. The fake does not find out by itself, so it is told again as long as
  /// something is ready.
  func tellFake(_ state: State) {
    guard let fake = load.fake, state.reader != nil else { return }
    var ready: Readiness = []
    if state.flow.written > state.flow.read { ready.insert(.readable) }
    if !state.ends.thereIsOpen { ready.formUnion([.readable, .disconnected]) }
    if !ready.isDisjoint(with: interest) { try? fake.makeReady(state.ends.here, ready) }
  }
}
