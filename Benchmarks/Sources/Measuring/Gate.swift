public import Foundation

/// A count that does not depend on the machine, and the most that it may be.
public struct Gate: Codable, Sendable, Equatable {
  public let name: String
  /// The most that passes.
  public let bound: Double
  /// The count when the bound was set.
  public let measured: Double
  /// The count that is demanded, if that is still less than the bound.
  public let demanded: Double?
  /// What to do if the gate is broken.
  public let advice: String

  public init(
    name: String, bound: Double, measured: Double, demanded: Double? = nil, advice: String
  ) {
    self.name = name
    self.bound = bound
    self.measured = measured
    self.demanded = demanded
    self.advice = advice
  }
}

/// The gates of a file, and which of them counts break.
public struct Gates: Codable, Sendable {
  public var gates: [Gate]

  public init(gates: [Gate]) { self.gates = gates }

  public init(contentsOf url: URL) throws {
    self = try JSONDecoder().decode(Gates.self, from: Data(contentsOf: url))
  }

  /// What is wrong with one count.
  public struct Breach: Sendable, Equatable, CustomStringConvertible {
    public let gate: Gate
    /// Nil if there was no count.
    public let count: Double?

    public var description: String {
      guard let count else {
        return "\(gate.name): was not counted; the bound is \(short(gate.bound))"
      }
      return "\(gate.name): \(short(count)), which is \(short(count - gate.bound)) more than the "
        + "\(short(gate.bound)) allowed (\(short(gate.measured)) when the bound was set); "
        + gate.advice
    }
  }

  /// Each gate with its count, for people.
  public func table(_ counts: [String: Double]) -> [String] {
    var table = Table(headings: ["gate", "counted", "bound", "when set", "demanded", "passes"])
    for gate in gates {
      let count = counts[gate.name]
      table.add([
        gate.name, count.map(short) ?? "-", short(gate.bound), short(gate.measured),
        gate.demanded.map(short) ?? "", count.map { $0 <= gate.bound } == true ? "yes" : "NO",
      ])
    }
    return table.text
  }

  /// Every gate that the counts do not pass.
  public func breaches(by counts: [String: Double]) -> [Breach] {
    gates.compactMap { gate in
      guard let count = counts[gate.name] else { return Breach(gate: gate, count: nil) }
      return count <= gate.bound ? nil : Breach(gate: gate, count: count)
    }
  }

  /// Counts that no gate limits: a name in the file is wrong, or a gate is missing.
  public func unheld(_ counts: [String: Double]) -> [String] {
    Set(counts.keys).subtracting(gates.map(\.name)).sorted()
  }
}
