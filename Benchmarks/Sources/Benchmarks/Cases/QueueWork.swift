import CPeers
import Measuring

extension Case {
  /// Compared with one `uv_queue_work` a task. The C program queues the next request from the loop's
  /// thread when one is done, and so keeps its window full.
  static let queueWork = [1, 64, 1024, 1_000_000].map { window in
    let row = Row(
      "raw uv_queue_work a task, win \(window == 1_000_000 ? "1 M" : "\(window)")",
      demanded: window == 1024 ? [.timesFaster(4, than: "C uv_queue_work")] : [])
    return Case(row.name, rows: [row]) { effort in
      let window = window == 1_000_000 ? effort.count(window) : window
      let tasks = window > 1024 ? window : nil
      let ours = Throughput(window: tasks == nil ? window : nil, tasks: tasks)
      let raw = tasks ?? (window == 1 ? 1_000 : 50_000)
      return ours.contestants([(Contestant.ours, try UVBackground(width: 3))], effort) + [
        Contestant("C uv_queue_work") { cpeers_queue_work(raw, window) }
      ]
    }
  }
}
