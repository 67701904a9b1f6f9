import Measuring

/// What is measured in one process, and gives figures for one or more rows.
struct Case: Sendable {
  let name: String
  /// The value of `UV_THREADPOOL_SIZE` in that process.
  let poolThreads: Int
  let rows: [Row]
  let measure: @Sendable (Effort) throws -> [Reading]

  init(
    _ name: String, poolThreads: Int = 4, rows: [Row],
    measure: @escaping @Sendable (Effort) throws -> [Reading]
  ) {
    self.name = name
    self.poolThreads = poolThreads
    self.rows = rows
    self.measure = measure
  }

  /// A case that makes what it needs, and returns contestants that are measured in turn.
  init(
    _ name: String, poolThreads: Int = 4, rows: [Row],
    contestants: @escaping @Sendable (Effort) throws -> [Contestant]
  ) {
    self.init(name, poolThreads: poolThreads, rows: rows) { effort in
      Interleaving(repetitions: effort.repetitions)
        .readings(rows: rows.map(\.name), of: try contestants(effort))
    }
  }

  /// All cases, in the order of the table.
  static let all: [Case] =
    windowedForeground + windowedBackground + windowedViews + limits + smallWindows + unbounded
    + [selfRepost] + working
    + queueWork + [sleeps, behindBlocker, pingPong] + anyWidth + timers + [hops] + yields
    + [cancelling, statBehind, sync, idle, manyViews, snapshots, groups, handles, replies]
    + barriers
    + [roundTrip, jobs]
    + backlog + [startUp, binarySize, fakeSteps, exploredSchedules, spoold] + latencies
}

/// How much work is done for a figure.
struct Effort: Sendable {
  let isQuick: Bool

  var repetitions: Int { 5 }
  /// About how long one repetition of one contestant takes, in nanoseconds.
  var slice: Double { isQuick ? 20_000_000 : 50_000_000 }
  /// `whole`, or a tenth of it if the run is to be quick.
  func count(_ whole: Int) -> Int { isQuick ? max(1, whole / 10) : whole }
}
