/// A line of the table: what is measured, and what it must reach.
public struct Row: Sendable {
  public enum Unit: String, Codable, Sendable {
    case nanoseconds = "ns"
    case bytes
    case count
  }

  public let name: String
  public let unit: Unit
  /// What the row must reach.
  public let demanded: Demand
  /// What would be better still.
  public let goal: Demand

  public init(
    _ name: String, unit: Unit = .nanoseconds, demanded: Demand = [], goal: Demand = []
  ) {
    self.name = name
    self.unit = unit
    self.demanded = demanded
    self.goal = goal
  }
}

/// The result of a row, from all processes together.
public struct RowResult: Sendable, Equatable {
  public let name: String
  public let unit: Row.Unit
  public let ours: Double
  /// The least and the most that a repetition of ours took, in any process.
  public let range: ClosedRange<Double>
  public let peers: [String: Double]
  /// Each peer's time divided by ours: the median of what each process found.
  public let ratios: [String: Double]
  /// The limit divided by our time; nil if there is no limit.
  public let ratioToLimit: Double?
  public let demanded: String
  /// Nil if nothing is demanded.
  public let met: Bool?
  public let goal: String
  public let goalMet: Bool?
  /// Why there are no figures; nil if there are.
  public let failure: String?

  /// The peer that comes closest, and its time divided by ours.
  public var best: (name: String, ratio: Double)? {
    ratios.min { ($0.value, $0.key) < ($1.value, $1.key) }.map { ($0.key, $0.value) }
  }

  /// Merges what each process has read. A process's figure is its median, and the row's figure is the
  /// median of these. The ratios are merged in the same way: each compares only what ran side by side.
  public init(_ row: Row, processes: [[Reading]]) {
    let figures = processes.map { readings in
      Dictionary(
        readings.filter { $0.row == row.name && !$0.samples.isEmpty }
          .map { ($0.contestant, Statistics.median($0.samples)) }, uniquingKeysWith: { $1 })
    }.filter { $0[Contestant.ours] != nil }
    guard !figures.isEmpty else {
      self.init(row, failure: "nothing was measured")
      return
    }
    let own = figures.map { $0[Contestant.ours]! }
    let samples = processes.joined()
      .filter { $0.row == row.name && $0.contestant == Contestant.ours }.flatMap(\.samples)
    let names = Set(figures.flatMap(\.keys)).subtracting([Contestant.ours, Contestant.limit])
    var peers: [String: Double] = [:]
    var ratios: [String: Double] = [:]
    for name in names {
      let present = figures.filter { $0[name] != nil }
      peers[name] = Statistics.median(present.map { $0[name]! })
      ratios[name] = Statistics.median(present.map { ratio($0[name]!, $0[Contestant.ours]!) })
    }
    let limits = figures.compactMap { figure in
      figure[Contestant.limit].map { ratio($0, figure[Contestant.ours]!) }
    }
    self.init(
      row, ours: Statistics.median(own), range: samples.min()!...samples.max()!, peers: peers,
      ratios: ratios, ratioToLimit: limits.isEmpty ? nil : Statistics.median(limits))
  }

  /// A row without figures. What is demanded of it is not met.
  public init(_ row: Row, failure: String) {
    self.init(row, ours: .nan, range: 0...0, peers: [:], ratios: [:], ratioToLimit: nil, failure)
  }

  private init(
    _ row: Row, ours: Double, range: ClosedRange<Double>, peers: [String: Double],
    ratios: [String: Double], ratioToLimit: Double?, _ failure: String? = nil
  ) {
    name = row.name
    unit = row.unit
    self.ours = ours
    self.range = range
    self.peers = peers
    self.ratios = ratios
    self.ratioToLimit = ratioToLimit
    demanded = row.demanded.text(in: row.unit)
    goal = row.goal.text(in: row.unit)
    self.failure = failure
    func judge(_ demand: Demand) -> Bool? {
      if demand.isEmpty { return nil }
      return failure == nil
        && demand.isMet(ours: ours, ratios: ratios, ratioToLimit: ratioToLimit)
    }
    met = judge(row.demanded)
    // A row that misses its demand has not reached its goal either.
    goalMet = judge(row.goal).map { [met] in $0 && met != false }
  }

  public static func == (left: RowResult, right: RowResult) -> Bool {
    left.name == right.name && left.ours == right.ours && left.ratios == right.ratios
      && left.met == right.met && left.goalMet == right.goalMet && left.failure == right.failure
  }
}

/// If both are zero, we are as good as the peer. If only the peer is zero, we are worse than any.
private func ratio(_ peer: Double, _ ours: Double) -> Double {
  if ours == 0 { return peer == 0 ? 1 : .infinity }
  return peer / ours
}
