import CPeers
import Glibc
import Measuring
import UVDispatch

extension Case {
  /// A dispatcher that has worked and is idle, with a timer that is far away. It must wake no thread.
  static let idle = Case(
    "idle",
    rows: [
      Row("context switches a second when idle", unit: .count, demanded: [.atMost(0)])
    ]
  ) { effort in
    let ours = try UVBackground(width: 3)
    let loop = UVForeground(of: ours.dispatcher)
    let counter = Counter()
    for _ in 0..<1_000 {
      ours.submit(counter, 0)
      loop.submit(counter, 0)
    }
    counter.wait(for: 2_000)
    let timer = ours.dispatcher.background.after(.seconds(3_600)) {}
    usleep(300_000)
    let seconds = effort.isQuick ? 1.0 : 2.0
    let samples = (0..<2).map { _ in
      let before = cpeers_context_switches()
      usleep(UInt32(seconds * 1_000_000))
      return Double(cpeers_context_switches() - before) / seconds
    }
    timer.cancel()
    return [
      Reading(
        row: "context switches a second when idle", contestant: Contestant.ours, samples: samples)
    ]
  }
}
