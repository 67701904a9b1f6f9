/// What a row must reach, in words and as a check of figures.
public struct Demand: Sendable, ExpressibleByArrayLiteral {
  public enum Condition: Sendable, Equatable {
    /// The peer takes at least so many times as long as we do.
    case timesFaster(Double, than: String)
    /// We take at most so many times as long as the peer.
    case within(Double, of: String)
    /// We take at most so many times as long as the limit.
    case withinLimit(Double)
    /// Our figure is at most this, in the unit of the row.
    case atMost(Double)
    /// No peer takes less than this share of our time.
    case timesFasterThanBest(Double)
  }

  public let conditions: [Condition]

  public init(_ conditions: [Condition]) { self.conditions = conditions }
  public init(arrayLiteral conditions: Condition...) { self.init(conditions) }

  /// Whether nothing is demanded: such a row is only reported.
  public var isEmpty: Bool { conditions.isEmpty }

  /// The conditions in words.
  public func text(in unit: Row.Unit) -> String {
    conditions.map { condition in
      switch condition {
      case .timesFaster(let factor, let peer): "≥ \(short(factor))x \(peer)"
      case .within(let factor, let peer): "≤ \(short(factor))x \(peer)'s"
      case .withinLimit(let factor): "≤ \(short(factor))x limit"
      case .atMost(let value): "≤ \(figure(value, unit))"
      case .timesFasterThanBest(let factor): "≥ \(short(factor))x best"
      }
    }.joined(separator: ", ")
  }

  /// Whether the figures meet every condition. A condition about a peer that was not measured is not
  /// met.
  ///
  /// - Parameters:
  ///   - ours: Our figure, in the unit of the row.
  ///   - ratios: Each peer's time divided by ours.
  ///   - ratioToLimit: The limit divided by our time; nil if there is no limit.
  public func isMet(ours: Double, ratios: [String: Double], ratioToLimit: Double?) -> Bool {
    conditions.allSatisfy { condition in
      switch condition {
      case .timesFaster(let factor, let peer): ratios[peer].map { $0 >= factor } ?? false
      case .within(let factor, let peer): ratios[peer].map { $0 * factor >= 1 } ?? false
      case .withinLimit(let factor): ratioToLimit.map { $0 * factor >= 1 } ?? false
      case .atMost(let value): ours <= value
      case .timesFasterThanBest(let factor): ratios.values.min().map { $0 >= factor } ?? false
      }
    }
  }
}

/// The value with as few digits as express it.
func short(_ value: Double) -> String {
  guard abs(value) < 1e15 else { return "\(value)" }
  if value == value.rounded() { return "\(Int(value))" }
  let hundredths = (value * 100).rounded() / 100
  return "\(hundredths)"
}
