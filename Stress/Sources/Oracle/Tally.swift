internal import Synchronization

/// How often something happened, counted by many threads at a time.
public struct Count: ~Copyable, @unchecked Sendable {
  /// A line of the cache for each.
  private static let stride = 16
  private let cells: UnsafeMutablePointer<Atomic<Int>>

  public init() {
    cells = .allocate(capacity: Hand.most * Self.stride)
    for place in 0..<Hand.most * Self.stride { (cells + place).initialize(to: Atomic(0)) }
  }

  deinit { cells.deallocate() }

  public borrowing func add(_ amount: Int = 1) {
    (cells + Hand.current.index * Self.stride).pointee.wrappingAdd(amount, ordering: .relaxed)
  }

  public var value: Int {
    (0..<Hand.most).reduce(0) { $0 + (cells + $1 * Self.stride).pointee.load(ordering: .relaxed) }
  }
}
