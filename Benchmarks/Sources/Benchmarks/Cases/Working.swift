import Measuring

extension Case {
  /// Tasks that do some work, on workers.
  static let working = [1, 20].map { microseconds in
    let row = Row(
      "bg W=3 tasks of \(microseconds) us",
      demanded: [.within(1.25, of: "NIO")],
      goal: [.timesFaster(1, than: "NIO"), .timesFaster(1, than: "Dispatch")])
    return Case(row.name, rows: [row]) { effort in
      Throughput(rounds: Burn.rounds(microseconds: Double(microseconds))).contestants(
        [
          (Contestant.ours, try UVBackground(width: 3)), ("C", CPool(width: 3)),
          ("NIO", NIOPool(width: 3)), ("Dispatch", DispatchSubject.concurrent),
        ], effort)
    }
  }
}
