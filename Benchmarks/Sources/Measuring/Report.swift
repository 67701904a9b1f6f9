public import Foundation

/// The machine and the versions that a run was measured with.
public struct Machine: Codable, Sendable, Equatable {
  public let model: String
  public let cores: Int
  public let kernel: String
  public let swift: String
  public let libuv: String
  /// The sizes of libuv's pool that the rows were measured with.
  public let poolThreads: [Int]
  /// How many processes each row is the median of.
  public let processes: Int
  /// The niceness the processes had: they got less than the whole machine if it is above 0.
  public let nice: Int

  public init(
    model: String, cores: Int, kernel: String, swift: String, libuv: String, poolThreads: [Int],
    processes: Int, nice: Int
  ) {
    self.model = model
    self.cores = cores
    self.kernel = kernel
    self.swift = swift
    self.libuv = libuv
    self.poolThreads = poolThreads
    self.processes = processes
    self.nice = nice
  }

  public var lines: [String] {
    [
      "machine: \(model), \(cores) cores, nice \(nice)",
      "versions: Swift \(swift), libuv \(libuv), Linux \(kernel)",
      "pool: UV_THREADPOOL_SIZE \(poolThreads.map(String.init).joined(separator: " and "))",
      "each figure: the median of \(processes) process\(processes == 1 ? "" : "es")",
    ]
  }
}

/// All results of a run.
public struct Report: Sendable {
  public let machine: Machine
  public let rows: [RowResult]

  public init(machine: Machine, rows: [RowResult]) {
    self.machine = machine
    self.rows = rows
  }

  public var demanded: Int { rows.count { $0.met != nil } }
  public var met: Int { rows.count { $0.met == true } }

  /// The last line of a run.
  public var summary: String { "bench: \(met) of \(demanded) rows meet what is demanded" }

  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Report: Encodable {}

extension RowResult: Encodable {
  private enum Key: String, CodingKey {
    case name, unit, ours, peers, demanded, met, goal, goalMet, failure
    case oursNanoseconds = "ours_ns"
    case ratioBestPeer = "ratio_best_peer"
    case ratioLimit = "ratio_limit"
  }

  /// Keys without a value are null, so that every row has the same keys. A figure that is no time
  /// stands in `ours`, and its `ours_ns` is null.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    func number(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
    try values.encode(name, forKey: .name)
    try values.encode(unit == .nanoseconds ? number(ours) : nil, forKey: .oursNanoseconds)
    try values.encode(peers.compactMapValues(number), forKey: .peers)
    try values.encode(number(best?.ratio), forKey: .ratioBestPeer)
    try values.encode(number(ratioToLimit), forKey: .ratioLimit)
    try values.encode(demanded, forKey: .demanded)
    try values.encode(met, forKey: .met)
    try values.encode(goal, forKey: .goal)
    try values.encode(goalMet, forKey: .goalMet)
    if unit != .nanoseconds {
      try values.encode(number(ours), forKey: .ours)
      try values.encode(unit.rawValue, forKey: .unit)
    }
    if let failure { try values.encode(failure, forKey: .failure) }
  }
}
