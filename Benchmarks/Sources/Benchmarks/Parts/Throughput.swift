import Measuring

/// Runs many tasks as fast as possible: nanoseconds a task, from the first submission to the end of the
/// last body.
struct Throughput: Sendable {
  var producers = 1
  /// The most tasks in flight, of all producers together; nil for no limit.
  var window: Int? = 1024
  /// How much work each task does; 0 for an empty body.
  var rounds = 0
  /// The number of tasks; nil for as many as fit into a slice.
  var tasks: Int?

  func contestants(_ subjects: [(String, any Subject)], _ effort: Effort) -> [Contestant] {
    subjects.map { name, subject in
      // The warm-up finds out how many tasks a repetition takes.
      let pace = Pace()
      return Contestant(name) {
        guard let paced = pace.tasks else {
          let least = max(2_000, (window ?? 0) * 2)
          let cost = nanosecondsPerTask(subject, tasks.map { $0 / 10 } ?? least)
          pace.tasks = tasks ?? max(least, min(400_000, Int(effort.slice / cost)))
          return cost
        }
        return nanosecondsPerTask(subject, paced)
      }
    }
  }

  func nanosecondsPerTask(_ subject: any Subject, _ tasks: Int) -> Double {
    let share = window.map { max(1, $0 / producers) } ?? .max
    let each = max(1, tasks / producers)
    let counters = (0..<producers).map { _ in Counter() }
    defer { for counter in counters { counter.free() } }
    let whole = crew(producers) { index in
      subject.produce(each, share: share, rounds: rounds, counters[index])
    }
    return whole / Double(each * producers)
  }

  private final class Pace {
    var tasks: Int?
  }
}
