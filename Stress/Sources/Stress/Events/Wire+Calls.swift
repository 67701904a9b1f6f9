import Oracle
import TaskDispatch
import TaskDispatchTesting

extension Wire {
  // MARK: Being told

  func comes(_ ready: Readiness, _ judge: ReadinessJudge) {
    host.called { [self] in
      judge.told(ready.rawValue)
      state.withLock { state in
        // It may have been removed, and another be there in its place.
        guard state.reader?.judge === judge else { return }
        // What it leaves, it is told of again.
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

  func hasRoom(_ ready: Readiness, _ judge: ReadinessJudge) {
    host.called { [self] in
      judge.told(ready.rawValue)
      state.withLock { state in
        guard state.writer?.judge === judge else { return }
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
    if let writer = state.writer.take() { host.cancel(writer.registration, writer.judge.calls) }
    state.flow.closes()
    state.ends.closeThere()
  }

  // MARK: The other side

  /// False if nobody would read it.
  func write(_ count: Int) -> Bool {
    state.withLock { state in
      guard !isPump, interest.contains(.readable), state.ends.hereIsOpen, state.ends.thereIsOpen
      else { return false }
      state.flow.writes(state.ends.write(count) ?? 0)
      tellFake(state)
      return true
    }
  }

  /// False if it has none, or none of its own.
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

  /// The fake knows of nothing by itself, and is told again as long as the cause lasts.
  func tellFake(_ state: State) {
    guard let fake = load.fake, state.reader != nil else { return }
    var ready: Readiness = []
    if state.flow.written > state.flow.read { ready.insert(.readable) }
    if !state.ends.thereIsOpen { ready.formUnion([.readable, .disconnected]) }
    if !ready.isDisjoint(with: interest) { try? fake.makeReady(state.ends.here, ready) }
  }
}
