import Oracle
import TaskDispatch

/// A handler of a signal. It counts the deliveries, and sometimes does more.
final class Listener: Sendable {
  let host: any EventHost
  let checker: SignalChecker
  private let raised: RaisedSignal
  private let load: EventLoad
  private let registration = Locked<Registration?>(nil)
  private let dice: Locked<Dice>
  /// How often it may still raise its own signal. Each time causes a call of every handler of that
  /// signal.
  private let raisesLeft = Locked(2)
  private let isResident: Bool

  /// - Parameter isResident: Whether only the shutdown ends it.
  init(
    for raised: RaisedSignal, at host: any EventHost, _ load: EventLoad, seed: UInt64,
    isResident: Bool = false
  ) {
    self.host = host
    self.raised = raised
    self.load = load
    self.isResident = isResident
    dice = Locked(Dice(seed: seed))
    checker = SignalChecker(
      raised.raises, isCounted: raised.isCounted,
      name: "a handler of \(raised.signal) at \(host.dispatcher.foreground.label)",
      violations: host.violations)
  }

  /// Registers the handler. Call it once.
  func listen() {
    do {
      let mine = try host.dispatcher.onSignal(raised.signal) { deliveries in self.told(deliveries) }
      checker.registered()
      registration.withLock { $0 = mine }
    } catch { host.checkRefusal(error, of: "a handler of \(raised.signal)") }
  }

  /// Cancels the handler. Any thread may call it, any number of times.
  func cancel() {
    guard !isResident, let registration = registration.withLock({ $0 }) else { return }
    host.cancel(registration, checker.calls)
  }

  /// The dispatcher has ended, and was shut down after all of `least` had arrived.
  func checkEnd(_ least: [CInt: Int]) { checker.checkEnd(least[raised.signal.rawValue] ?? 0) }

  private func told(_ deliveries: Int) {
    host.called { [self] in
      checker.calls.begins()
      checker.told(deliveries)
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
