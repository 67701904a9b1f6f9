/// The bytes that go from one descriptor to another, which only handlers read and write. The thread
/// that uses this value keeps other threads from it with a lock.
public struct Flow {
  /// What a read has found.
  public enum Found {
    case bytes(Int)
    case end
    case nothing
  }

  private let name: String
  private let violations: ViolationLog
  public private(set) var written = 0
  public private(set) var read = 0
  /// The writing side is closed, or is about to be.
  public private(set) var hasEnd = false
  /// The reader has found the end.
  public private(set) var isOver = false

  public init(_ name: String, violations: ViolationLog) {
    self.name = name
    self.violations = violations
  }

  public mutating func writes(_ bytes: Int) { written += bytes }

  /// The writing side is about to be closed.
  public mutating func closes() { hasEnd = true }

  /// The reader was told that the descriptor is readable, that the other side has gone, or both; then
  /// it has read.
  public mutating func reads(_ found: Found, toldReadable: Bool, toldGone: Bool) {
    if toldGone, !hasEnd { report("is said to have lost its other side, which is open") }
    switch found {
    case .bytes(let bytes):
      read += bytes
      if read > written { report("has brought \(read) bytes of \(written)") }
    case .end:
      isOver = true
      if !hasEnd { report("has ended, and its other side is open") }
      if read != written { report("has ended after \(read) bytes of \(written)") }
    case .nothing:
      if toldReadable { report("is said to be readable, and there is nothing to read") }
    }
  }

  /// The writer was told that the descriptor is writable, and could write nothing.
  public func isFull() { report("is said to be writable, and is full") }

  /// Whether the reader has nothing left to be told of.
  public var isQuiet: Bool { isOver || read == written && !hasEnd }

  public var state: String {
    "\(name): \(read) of \(written) bytes read" + (hasEnd ? ", closed" : "")
  }

  private func report(_ text: String) { violations.report(.events, nil, "\(name) \(text)") }
}
