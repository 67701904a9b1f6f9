import Measuring
import UVDispatch

extension Case {
  /// A limit that is never reached, beside no limit, with 1024 tasks in flight.
  static let limits = [1, 4].flatMap { producers in
    [
      limit("loop", producers) { try UVForeground(overflow: $0) },
      limit("workers", producers) { try UVBackground(width: 3, overflow: $0) },
      limit("queue of width 1", producers) {
        try UVBackground(width: 3, viewWidth: 1, overflow: $0)
      },
    ]
  }

  private static func limit(
    _ queue: String, _ producers: Int,
    _ subject: @escaping @Sendable (Overflow) throws -> any Subject
  ) -> Case {
    let row = Row(
      "a limit on the \(queue), P=\(producers) win 1024",
      demanded: [.within(1.1, of: "no limit"), .timesFaster(1, than: "Dispatch")],
      goal: [.within(1.03, of: "no limit")])
    return Case(row.name, rows: [row]) { effort in
      let subjects: [(String, any Subject)] = [
        (Contestant.ours, try subject(.reject(limit: 100_000))),
        ("no limit", try subject(.unbounded)),
        ("Dispatch", queue == "workers" ? DispatchSubject.concurrent : .serial),
      ]
      return Throughput(producers: producers).contestants(subjects, effort)
    }
  }
}
