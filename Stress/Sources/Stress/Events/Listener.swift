import Oracle
import TaskDispatch

/// Somebody who waits for a signal, and sometimes does more about it than to count.
final class Listener: Sendable {
  let host: any EventHost
  let judge: SignalJudge
  private let raised: RaisedSignal
  private let load: EventLoad
  private let registration = Locked<Registration?>(nil)
  private let dice: Locked<Dice>
  /// How often it may still raise its own signal, which is a call more for each that waits for it.
  private let raisesLeft = Locked(2)
  private let isResident: Bool

  /// - Parameter isResident: Whether nobody but the shutdown ends it.
  init(
    for raised: RaisedSignal, at host: any EventHost, _ load: EventLoad, seed: UInt64,
    isResident: Bool = false
  ) {
    self.host = host
    self.raised = raised
    self.load = load
    self.isResident = isResident
    dice = Locked(Dice(seed: seed))
    judge = SignalJudge(
      raised.raises, isCounted: raised.isCounted,
      name: "a handler of \(raised.signal) at \(host.dispatcher.foreground.label)",
      court: host.court)
  }

  /// Registers it. Once.
  func listen() {
    do {
      let mine = try host.dispatcher.onSignal(raised.signal) { deliveries in self.told(deliveries) }
      judge.registered()
      registration.withLock { $0 = mine }
    } catch { host.judgeRefusal(error, of: "a handler of \(raised.signal)") }
  }

  /// From any thread, any number of times.
  func cancel() {
    guard !isResident, let registration = registration.withLock({ $0 }) else { return }
    host.cancel(registration, judge.calls)
  }

  /// Its dispatcher has ended, and had not been told to before all of `least` had come.
  func judgeEnd(_ least: [CInt: Int]) { judge.judgeEnd(least[raised.signal.rawValue] ?? 0) }

  private func told(_ deliveries: Int) {
    host.called { [self] in
      judge.calls.begins()
      judge.told(deliveries)
      switch dice.withLock({ $0.roll(32) }) {
      case 0: cancel()
      case 1: load.anyListener(at: host, dice.withLock { $0.next() })?.cancel()
      case 2, 3: raiseAgain()
      default: break
      }
    }
  }

  private func raiseAgain() {
    let mayRaise = raisesLeft.withLock { left in
      left -= 1
      return left >= 0
    }
    if mayRaise, raised.isCounted { load.raise(raised) }
  }
}
