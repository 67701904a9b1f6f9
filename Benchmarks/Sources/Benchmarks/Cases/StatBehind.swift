import CPeers
import Measuring

extension Case {
  /// A call that libuv makes for other code of the process, while all workers that the width allows are
  /// busy.
  static let statBehind = Case(
    "uv_fs_stat behind a saturated pool",
    rows: [Row("uv_fs_stat behind a saturated pool, p99", demanded: [.atMost(5_000_000)])]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let millisecond = Burn.rounds(microseconds: 1_000)
    let count = effort.count(200)
    return [
      Contestant(Contestant.ours) {
        let load = Load(ours, tasks: 64, rounds: millisecond)
        var samples = [Double](repeating: 0, count: count)
        cpeers_stat(count, 500_000, &samples)
        load.end()
        return Statistics.percentile(99, of: samples)
      },
      // A C program queues as many requests at once, and the call waits behind all of them.
      Contestant("C uv_queue_work") { cpeers_stat_behind_queue_work(effort.count(400)) },
    ]
  }
}

/// Keeps a number of tasks in flight: each task submits the next.
private final class Load: Sendable {
  private let subject: any Subject
  private let tasks: Int
  private let rounds: Int
  private let isOver = Counter()
  private let ended = Counter()

  init(_ subject: any Subject, tasks: Int, rounds: Int) {
    self.subject = subject
    self.tasks = tasks
    self.rounds = rounds
    for _ in 0..<tasks { step() }
  }

  private func step() {
    subject.run {
      work(self.rounds, Self.ignored)
      if self.isOver.count > 0 { self.ended.advance() } else { self.step() }
    }
  }

  private static let ignored = Counter()

  func end() {
    isOver.advance()
    ended.waitAsleep(for: tasks)
  }
}
