import Oracle
import TaskDispatch
import UVDispatch

/// A Task that awaits the deliveries of a signal.
final class Follower: Sendable {
  private let raised: RaisedSignal
  private let checker: SignalChecker
  private let task: Task<Void, Never>?
  private let hasEnded = Gate()

  /// - Parameter number: Follower 0 follows until the dispatcher ends, follower 1 may be cancelled, and
  ///   the others stop after a few deliveries.
  init(
    of dispatcher: UVDispatcher, _ violations: ViolationLog, number: Int, _ dice: inout Dice
  ) {
    raised = RaisedSignal.counted[dice.roll(RaisedSignal.counted.count)]
    checker = SignalChecker(
      raised.raises, name: "a sequence of \(raised.signal) at a neighbour", violations: violations)
    guard let sequence = try? dispatcher.signals(raised.signal) else {
      task = nil
      hasEnded.open()
      violations.report(.events, nil, "a sequence of \(raised.signal) was refused")
      return
    }
    checker.registered()
    let most = number < 2 ? Int.max : 1 + dice.roll(4)
    if number == 2 { checker.calls.cancels() }
    task = Task { [checker, hasEnded] in
      var count = 0
      for await deliveries in sequence {
        checker.told(deliveries)
        count += 1
        if count == most { break }
      }
      hasEnded.open()
    }
  }

  func cancel() {
    checker.calls.cancels()
    task?.cancel()
  }

  func waitForEnd() { hasEnded.wait(seconds: 1e6) }

  func checkEnd(_ least: [CInt: Int]) { checker.checkEnd(least[raised.signal.rawValue] ?? 0) }
}
