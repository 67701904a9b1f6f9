import Measuring
import UVDispatch

extension Case {
  /// Tasks that wait in a queue, cancelled in no order. No peer takes a task out of a queue: those that
  /// can cancel leave it there, with a flag.
  static let cancelling = Case(
    "cancel with 100 000 queued",
    rows: [Row("cancel with 100 000 queued", demanded: [.atMost(200)])]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let count = effort.count(100_000)
    return [
      Contestant(Contestant.ours) {
        let view = ours.dispatcher.makeQueue(label: "held", width: 1)
        view.suspend()
        defer { view.resume() }
        var dice = Dice(state: 1)
        let handles = (0..<count).map { _ in view.submit {} }.shuffled(using: &dice)
        return timed { for handle in handles { handle.cancel() } } / Double(count)
      }
    ]
  }
}

/// The same order in every process.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
