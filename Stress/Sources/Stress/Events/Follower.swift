import Oracle
import TaskDispatch
import UVDispatch

/// A Task that awaits the deliveries of a signal.
final class Follower: Sendable {
  private let raised: RaisedSignal
  private let judge: SignalJudge
  private let task: Task<Void, Never>?
  private let hasEnded = Gate()

  /// - Parameter number: The first follows until the dispatcher ends, the second may be cancelled, and
  ///   the others have enough after a while.
  init(
    of dispatcher: UVDispatcher, _ court: Court, number: Int, _ dice: inout Dice
  ) {
    raised = RaisedSignal.counted[dice.roll(RaisedSignal.counted.count)]
    judge = SignalJudge(
      raised.raises, name: "a sequence of \(raised.signal) at a neighbour", court: court)
    guard let sequence = try? dispatcher.signals(raised.signal) else {
      task = nil
      hasEnded.open()
      court.report(.events, nil, "a sequence of \(raised.signal) was refused")
      return
    }
    judge.registered()
    let most = number < 2 ? Int.max : 1 + dice.roll(4)
    if number == 2 { judge.calls.cancels() }
    task = Task { [judge, hasEnded] in
      var count = 0
      for await deliveries in sequence {
        judge.told(deliveries)
        count += 1
        if count == most { break }
      }
      hasEnded.open()
    }
  }

  func cancel() {
    judge.calls.cancels()
    task?.cancel()
  }

  func waitForEnd() { hasEnded.wait(seconds: 1e6) }

  func judgeEnd(_ least: [CInt: Int]) { judge.judgeEnd(least[raised.signal.rawValue] ?? 0) }
}
