import Measuring
import UVDispatch

extension Case {
  /// What a daemon switches on, beside nothing, with 1024 tasks in flight.
  static let limits = [1, 4].flatMap { producers in
    [Switched.limit, .everything].flatMap { switched in
      [
        limit(switched, "loop", producers) { try UVForeground(overflow: $0, isInspected: $1) },
        limit(switched, "workers", producers) {
          try UVBackground(width: 3, overflow: $0, isInspected: $1)
        },
        limit(switched, "queue of width 1", producers) {
          try UVBackground(width: 3, viewWidth: 1, overflow: $0, isInspected: $1)
        },
      ]
    }
  }

  private enum Switched {
    /// A limit that is never reached.
    case limit
    /// That, a watch for stalls that finds none, and the flight recorder.
    case everything

    var name: String { self == .limit ? "a limit" : "everything" }
    /// By how much a task may be dearer than with nothing switched on, and by how much it should be.
    var demanded: Double { self == .limit ? 1.1 : 1.4 }
    var goal: Double { self == .limit ? 1.03 : 1.2 }
  }

  private static func limit(
    _ switched: Switched, _ queue: String, _ producers: Int,
    _ subject: @escaping @Sendable (Overflow, _ isInspected: Bool) throws -> any Subject
  ) -> Case {
    let bare = switched == .limit ? "no limit" : "nothing"
    let row = Row(
      "\(switched.name) on the \(queue), P=\(producers) win 1024",
      demanded: [.within(switched.demanded, of: bare), .timesFaster(1, than: "Dispatch")],
      goal: [.within(switched.goal, of: bare)])
    return Case(row.name, rows: [row]) { effort in
      let subjects: [(String, any Subject)] = [
        (Contestant.ours, try subject(.reject(limit: 100_000), switched == .everything)),
        (bare, try subject(.unbounded, false)),
        ("Dispatch", queue == "workers" ? DispatchSubject.concurrent : .serial),
      ]
      return Throughput(producers: producers).contestants(subjects, effort)
    }
  }
}
