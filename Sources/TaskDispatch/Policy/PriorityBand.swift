/// One of the four levels at which tasks wait. A higher band starts first.
///
/// The standard `TaskPriority` has more values than a queue needs to tell apart; each falls into the
/// highest band that it reaches.
@frozen public enum PriorityBand: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// From `TaskPriority.high`, which is also `.userInitiated`.
  case high
  /// From `TaskPriority.medium`. Where tasks wait that did not say.
  case medium
  /// From `TaskPriority.low`, which is also `.utility`.
  case low
  /// Everything below: `TaskPriority.background`.
  case background

  /// The band of `priority`.
  @inlinable public init(_ priority: TaskPriority) { self.init(ofPriority: priority.rawValue) }

  /// The band of a priority of that number.
  ///
  /// The numbers of the standard priorities are part of Swift's ABI. To ask it for them takes a call
  /// each, of which a submission would make six.
  @inlinable package init(ofPriority number: UInt8) {
    switch number {
    case 0x19...: self = .high
    case 0x15...: self = .medium
    case 0x11...: self = .low
    default: self = .background
    }
  }

  /// The standard priority that stands for this band.
  public var priority: TaskPriority {
    switch self {
    case .high: .high
    case .medium: .medium
    case .low: .low
    case .background: .background
    }
  }

  /// Whether `lhs` is the less urgent of the two.
  @inlinable public static func < (lhs: PriorityBand, rhs: PriorityBand) -> Bool {
    lhs.rawValue > rhs.rawValue
  }

  /// Its place among the bands: 0 for the most urgent.
  @inlinable package var index: Int { Int(rawValue) }

  /// The band of that place.
  @inlinable package init(at index: Int) {
    self.init(rawValue: UInt8(truncatingIfNeeded: index))!
  }
}
