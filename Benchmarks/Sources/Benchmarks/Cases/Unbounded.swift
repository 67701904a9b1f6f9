import Measuring

extension Case {
  /// Two million tasks as fast as they are accepted. Every contestant gets the same number, also a slow
  /// one: how deep the backlog becomes is part of the cost.
  static let unbounded = foregroundUnbounded + backgroundUnbounded

  static let unboundedTasks = 2_000_000

  private static let foregroundUnbounded = [1, 2, 4, 8].map { producers in
    let isDemanded = producers <= 4
    let row = Row(
      "fg 2 M unbounded P=\(producers)",
      demanded: isDemanded
        ? [
          .timesFaster(1.2, than: "NIO"), .timesFaster(1.2, than: "Dispatch"),
          .within(1.8, of: "C"),
        ] : [],
      goal: isDemanded
        ? [.timesFaster(2, than: "NIO"), .timesFaster(2, than: "Dispatch"), .within(1.1, of: "C")]
        : [])
    return Case(row.name, rows: [row]) { effort in
      Throughput(
        producers: producers, window: nil, tasks: effort.count(unboundedTasks)
      ).contestants(
        [
          (Contestant.ours, try UVForeground()), ("C", CMailbox()), ("NIO", NIOLoop()),
          ("Dispatch", DispatchSubject.serial),
        ], effort) + [.floor]
    }
  }

  private static let backgroundUnbounded = [1, 2, 4, 8].map { producers in
    let demanded: Demand =
      switch producers {
      case 1: [.timesFaster(6, than: "NIO"), .timesFaster(2, than: "Dispatch")]
      case 4: [.timesFaster(1.5, than: "NIO"), .timesFaster(1.3, than: "Dispatch")]
      default: []
      }
    let row = Row(
      "bg 2 M unbounded W=3 P=\(producers)", demanded: demanded,
      goal: demanded.isEmpty ? [] : [.timesFaster(1, than: "C")])
    return Case(row.name, rows: [row]) { effort in
      Throughput(
        producers: producers, window: nil, tasks: effort.count(unboundedTasks)
      ).contestants(
        [
          (Contestant.ours, try UVBackground(width: 3)), ("C", CPool(width: 3)),
          ("NIO", NIOPool(width: 3)), ("Dispatch", DispatchSubject.concurrent),
        ], effort) + [.floor]
    }
  }
}
