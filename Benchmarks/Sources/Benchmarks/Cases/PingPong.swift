import Glibc
import Measuring

extension Case {
  /// A task on a worker posts a task to the loop's thread, every 300 us. Measured from the submission
  /// of the first to the start of the second.
  static let pingPong = Case(
    "ping-pong bg to fg, 300 us gap",
    rows: [
      Row(
        "ping-pong bg to fg, 300 us gap, p50", demanded: [.within(2, of: "NIO")],
        goal: [.timesFasterThanBest(1)]),
      Row("ping-pong bg to fg, 300 us gap, p90", goal: [.timesFasterThanBest(1)]),
      Row(
        "ping-pong bg to fg, 300 us gap, p99", demanded: [.within(2, of: "NIO")],
        goal: [.timesFasterThanBest(1)]),
    ]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let pairs: [(String, any Subject, any Subject)] = [
      (Contestant.ours, ours, UVForeground(of: ours.dispatcher)),
      ("C", CPool(width: 3), CMailbox()),
      ("NIO", NIOPool(width: 3), NIOLoop()),
      ("Dispatch", DispatchSubject.concurrent, DispatchSubject.serial),
    ]
    let count = effort.count(1_000)
    return pairs.map { name, workers, loop in
      Contestant(name) { () -> [Double] in
        let waits = Waits(count: count)
        let counter = Counter()
        defer { counter.free() }
        for number in 0..<count {
          let began = nanoseconds()
          workers.run {
            loop.run {
              waits.set(number, nanoseconds() - began)
              counter.advance()
            }
          }
          usleep(300)
          counter.waitAsleep(for: number + 1)
        }
        return waits.percentiles([50, 90, 99])
      }
    }
  }
}
