/// A subject whose work is timed. Each call of `measure` returns one figure for each row of a case, NaN
/// for a row in which the contestant does not take part.
public struct Contestant {
  /// Our own name among the contestants.
  public static let ours = "UVDispatch"
  /// The name of the contestant that no other can beat: the same work without a dispatcher.
  public static let limit = "limit"

  public let name: String
  public let measure: () -> [Double]

  public init(_ name: String, measure: @escaping () -> [Double]) {
    self.name = name
    self.measure = measure
  }

  /// A contestant with a single figure.
  public init(_ name: String, measureOne: @escaping () -> Double) {
    self.init(name) { [measureOne()] }
  }
}

/// What one contestant needed for one row, repetition by repetition.
public struct Reading: Codable, Equatable, Sendable {
  public let row: String
  public let contestant: String
  public let samples: [Double]

  public init(row: String, contestant: String, samples: [Double]) {
    self.row = row
    self.contestant = contestant
    self.samples = samples
  }
}

/// Measures contestants in turn, so that other activity on the machine disturbs all of them alike.
public struct Interleaving {
  /// A set is calm if its middle half is at most this far apart, as a share of its median.
  public static let calm = 0.35

  public let repetitions: Int
  public let warmUps: Int

  public init(repetitions: Int, warmUps: Int = 1) {
    precondition(repetitions >= 1, "there is no median of \(repetitions) repetitions")
    self.repetitions = repetitions
    self.warmUps = warmUps
  }

  /// Measures all contestants. If the figures of one are far apart, measures all once more, and keeps
  /// the calmer set.
  ///
  /// - Parameter rows: The names of the figures, in the order in which contestants return them.
  public func readings(rows: [String], of contestants: [Contestant]) -> [Reading] {
    for _ in 0..<warmUps { for one in contestants { _ = one.measure() } }
    let first = set(rows: rows, of: contestants)
    let unrest = Self.unrest(of: first)
    guard unrest > Self.calm else { return first }
    let second = set(rows: rows, of: contestants)
    return Self.unrest(of: second) < unrest ? second : first
  }

  private func set(rows: [String], of contestants: [Contestant]) -> [Reading] {
    var samples = [[[Double]]](
      repeating: [[Double]](repeating: [], count: rows.count), count: contestants.count)
    for repetition in 0..<repetitions {
      // Another contestant begins each time: the first finds other caches than the last.
      for turn in contestants.indices {
        let index = (turn + repetition) % contestants.count
        let figures = contestants[index].measure()
        precondition(
          figures.count == rows.count,
          "\(contestants[index].name) has \(figures.count) figures for \(rows.count) rows")
        for (row, figure) in figures.enumerated() where !figure.isNaN {
          samples[index][row].append(figure)
        }
      }
    }
    return rows.indices.flatMap { row in
      contestants.indices.map {
        Reading(row: rows[row], contestant: contestants[$0].name, samples: samples[$0][row])
      }
    }
  }

  static func unrest(of readings: [Reading]) -> Double {
    readings.filter { !$0.samples.isEmpty }.map { Statistics.spread($0.samples) }.max() ?? 0
  }
}
