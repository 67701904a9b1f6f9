import Measuring

extension Case {
  /// More workers must not make empty tasks much dearer. The peer is our own dispatcher with a width of
  /// 1.
  static let anyWidth = [1, 2, 4, 8].flatMap { producers in
    [1024, nil].map { window in
      let row = Row(
        "W=8 against W=1, P=\(producers) \(window.map { "win \($0)" } ?? "unbounded")",
        demanded: [.within(2, of: "W=1")])
      return Case(row.name, poolThreads: 9, rows: [row]) { effort in
        Throughput(
          producers: producers, window: window,
          tasks: window == nil ? effort.count(unboundedTasks / 4) : nil
        ).contestants(
          [
            (Contestant.ours, try UVBackground(width: 8)), ("W=3", try UVBackground(width: 3)),
            ("W=1", try UVBackground(width: 1)),
          ], effort)
      }
    }
  }
}
