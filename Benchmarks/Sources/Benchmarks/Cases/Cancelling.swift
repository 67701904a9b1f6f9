import CPeers
import Dispatch
import Measuring
import UVDispatch

extension Case {
  /// Tasks that wait in a queue, cancelled in no order. *C* takes a node out of a list and drops
  /// its body. Dispatch leaves the task where it is, and sets a flag.
  static let cancelling = Case(
    "cancel with 100 000 queued",
    rows: [Row("cancel with 100 000 queued", demanded: [.atMost(200)])]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let count = effort.count(100_000)
    var dice = Dice(state: 1)
    let order = Array(0..<UInt32(count)).shuffled(using: &dice)
    return [
      Contestant(Contestant.ours) {
        let view = ours.dispatcher.makeQueue(label: "held", width: 1)
        view.suspend()
        defer { view.resume() }
        let made = (0..<count).map { _ in view.submit {} }
        let handles = order.map { made[Int($0)] }
        return timed { for handle in handles { handle.cancel() } } / Double(count)
      },
      Contestant("C") { cpeers_cancel_queued(count, order) },
      Contestant("Dispatch, a flag") {
        let queue = DispatchQueue(label: "held")
        queue.suspend()
        let made = (0..<count).map { _ in DispatchWorkItem {} }
        for item in made { queue.async(execute: item) }
        let items = order.map { made[Int($0)] }
        let cost = timed { for item in items { item.cancel() } } / Double(count)
        queue.resume()
        queue.sync {}
        return cost
      },
    ]
  }
}

/// Gives the same order in every process.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
