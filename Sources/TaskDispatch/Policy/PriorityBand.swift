/// `TaskPriority`, for a call that takes a value of it and none of its members by a short name: `.background` would be
/// taken for the pool.
public protocol StandardPriority: Sendable {
  /// As that of `TaskPriority`.
  var rawValue: UInt8 { get }
}

extension TaskPriority: StandardPriority {}

/// One of the four levels at which tasks wait. A higher band starts first.
///
/// It has the names that the standard `TaskPriority` has, but one: the lowest band is called ``lowest``, since
/// the *background* is a pool here. `TaskPriority` has more values than a queue needs to tell apart. Each of them
/// belongs to the highest band that it reaches: ``init(_:)``.
@frozen public enum PriorityBand: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// From `TaskPriority.high`, which is also `.userInitiated`.
  case high
  /// From `TaskPriority.medium`. The band of tasks that were submitted without a priority.
  case medium
  /// From `TaskPriority.low`, which is also `.utility`.
  case low
  /// Everything below: `TaskPriority.background`.
  case lowest

  /// ``high``, by another name of `TaskPriority`.
  @inlinable public static var userInitiated: PriorityBand { .high }

  /// ``low``, by another name of `TaskPriority`.
  @inlinable public static var utility: PriorityBand { .low }

  @available(
    *, unavailable, renamed: "lowest",
    message: "the background is a pool; the lowest band is .lowest"
  )
  public static var background: PriorityBand { .lowest }

  /// The band of `priority`.
  @inlinable public init(_ priority: TaskPriority) { self.init(ofPriority: priority.rawValue) }

  /// The band of a priority, by its raw value.
  ///
  /// The raw values of the standard priorities are part of Swift's ABI, and so they are written here as
  /// numbers. Asking Swift for them takes a call each, and a submission would make six.
  @inlinable package init(ofPriority number: UInt8) {
    switch number {
    case 0x19...: self = .high
    case 0x15...: self = .medium
    case 0x11...: self = .low
    default: self = .lowest
    }
  }

  /// The standard priority that stands for this band.
  public var priority: TaskPriority {
    switch self {
    case .high: .high
    case .medium: .medium
    case .low: .low
    case .lowest: .background
    }
  }

  /// Whether `lhs` is the less urgent of the two.
  @inlinable public static func < (lhs: PriorityBand, rhs: PriorityBand) -> Bool {
    lhs.rawValue > rhs.rawValue
  }

  /// The index of this band: 0 for the most urgent.
  @inlinable package var index: Int { Int(rawValue) }

  /// The band of that index.
  @inlinable package init(at index: Int) {
    self.init(rawValue: UInt8(truncatingIfNeeded: index))!
  }
}
