internal import Synchronization

/// A count that many threads increase at the same time.
public struct Count: ~Copyable, @unchecked Sendable {
  /// Each thread's count has a cache line of its own.
  private static let stride = 16
  private let cells: UnsafeMutablePointer<Atomic<Int>>

  public init() {
    cells = .allocate(capacity: ThreadRecorder.most * Self.stride)
    for place in 0..<ThreadRecorder.most * Self.stride { (cells + place).initialize(to: Atomic(0)) }
  }

  deinit { cells.deallocate() }

  public borrowing func add(_ amount: Int = 1) {
    (cells + ThreadRecorder.current.index * Self.stride).pointee.wrappingAdd(
      amount, ordering: .relaxed)
  }

  public var value: Int {
    (0..<ThreadRecorder.most).reduce(0) {
      $0 + (cells + $1 * Self.stride).pointee.load(ordering: .relaxed)
    }
  }
}
