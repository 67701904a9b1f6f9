import Measuring

extension Case {
  /// Workers, with few tasks in flight: each submission has to wake a worker, or to find one awake.
  static let smallWindows = [(1, 5.0, 1.0), (8, 5, 1), (64, 3, 1.3)].map { window, nio, dispatch in
    let row = Row(
      "bg W=3 P=1 win \(window)",
      demanded: [.timesFaster(nio, than: "NIO"), .timesFaster(dispatch, than: "Dispatch")],
      goal: [.timesFasterThanBest(1)])
    return Case(row.name, rows: [row]) { effort in
      Throughput(window: window).contestants(
        [
          (Contestant.ours, try UVBackground(width: 3)), ("C", CPool(width: 3)),
          ("NIO", NIOPool(width: 3)), ("Dispatch", DispatchSubject.concurrent),
        ], effort) + [.floor]
    }
  }
}
