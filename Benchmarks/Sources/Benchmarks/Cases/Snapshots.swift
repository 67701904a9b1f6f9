import Measuring
import UVDispatch

extension Case {
  /// A snapshot of a dispatcher in which much waits: in the inbox and in the queue of a suspended queue, and as timers.
  /// It holds the lock for less than it takes in all.
  static let snapshots = Case(
    "snapshot",
    rows: [
      Row("snapshot with 200 000 waiting", demanded: [.atMost(1_000_000)]),
      Row("snapshot with 10 000 queues"),
    ]
  ) { effort in
    let deep = try UVDispatcher()
    let queue = deep.makeQueue(label: "view", width: 1)
    queue.suspend()
    for number in 0..<100_000 {
      queue {}
      queue.submit {}
      if number == 50_000 { _ = deep.ledger }
      if number % 100 == 0 { deep.foreground.after(.seconds(3600)) {} }
    }
    let wide = try UVDispatcher()
    let queues = (0..<10_000).map { wide.makeQueue(label: "\($0)", width: 1) }
    return [
      Contestant(Contestant.ours) { () -> [Double] in
        withExtendedLifetime((queue, queues)) {
          [deep, wide].map { dispatcher in
            let times = (0..<51).map { _ in timed { _ = dispatcher.snapshot() } }
            return times.sorted()[25]
          }
        }
      }
    ]
  }
}
