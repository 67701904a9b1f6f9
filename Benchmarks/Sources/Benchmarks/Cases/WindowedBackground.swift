import Measuring

extension Case {
  /// Workers, with 1024 tasks in flight.
  static let windowedBackground = [1, 3, 8].flatMap { width in
    [1, 2, 4, 8].map { producers in windowed(width: width, producers: producers) }
  }

  private static func windowed(width: Int, producers: Int) -> Case {
    let row = Row(
      "bg W=\(width) P=\(producers) win 1024",
      demanded: demanded(width, producers), goal: goal(width, producers))
    return Case(row.name, poolThreads: width + 1, rows: [row]) { effort in
      var subjects: [(String, any Subject)] = [
        (Contestant.ours, try UVBackground(width: width)), ("C", CPool(width: width)),
        ("NIO", NIOPool(width: width)),
        ("Dispatch", width == 1 ? DispatchSubject.serial : .concurrent),
      ]
      if width == 3, producers == 1 {
        subjects += [
          ("Dispatch global", DispatchSubject.global), ("OperationQueue", Operations(width: 3)),
          ("Task.detached", DetachedTasks()),
        ]
      }
      return Throughput(producers: producers).contestants(subjects, effort) + [.floor]
    }
  }

  /// Queues as a program makes them for one of its parts, with 1024 tasks in flight.
  static let windowedViews = [1, 3].flatMap { width in
    [1, 4].map { producers in
      let row = Row("a queue of width \(width), P=\(producers) win 1024")
      return Case(row.name, rows: [row]) { effort in
        let subjects: [(String, any Subject)] = [
          (Contestant.ours, try UVBackground(width: 3, viewWidth: width)),
          ("Dispatch", width == 1 ? DispatchSubject.serial : .concurrent),
        ]
        return Throughput(producers: producers).contestants(subjects, effort)
      }
    }
  }

  private static func demanded(_ width: Int, _ producers: Int) -> Demand {
    switch (width, producers) {
    case (1, 1): [.timesFaster(3, than: "NIO"), .timesFaster(2.5, than: "Dispatch")]
    case (3, 1):
      [
        .timesFaster(8, than: "NIO"), .timesFaster(2.5, than: "Dispatch"),
        .timesFaster(1.5, than: "C"),
      ]
    case (3, 4): [.timesFaster(5, than: "NIO"), .timesFaster(2.5, than: "Dispatch")]
    default: []
    }
  }

  private static func goal(_ width: Int, _ producers: Int) -> Demand {
    switch (width, producers) {
    case (1, 1): [.timesFaster(6, than: "NIO"), .timesFaster(5, than: "Dispatch")]
    case (3, 1):
      [
        .timesFaster(20, than: "NIO"), .timesFaster(4, than: "Dispatch"),
        .timesFaster(2.5, than: "C"),
      ]
    case (3, 4): [.timesFaster(8, than: "NIO"), .timesFaster(5, than: "Dispatch")]
    default: []
    }
  }
}
