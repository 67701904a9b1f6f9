/// What goes from one descriptor to another, of which only the handlers read and write. Whoever has it
/// keeps others from it meanwhile.
public struct Flow {
  /// What reading has found.
  public enum Found {
    case bytes(Int)
    case end
    case nothing
  }

  private let name: String
  private let court: Court
  public private(set) var written = 0
  public private(set) var read = 0
  /// Nobody can write any more.
  public private(set) var hasEnd = false
  /// The reader has found that.
  public private(set) var isOver = false

  public init(_ name: String, court: Court) {
    self.name = name
    self.court = court
  }

  public mutating func writes(_ bytes: Int) { written += bytes }

  /// The side that writes is about to be closed.
  public mutating func closes() { hasEnd = true }

  /// Its reader was told that it is readable, that the other side has gone, or both, and has read.
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

  /// Its writer was told that it is writable, and could write nothing.
  public func isFull() { report("is said to be writable, and is full") }

  /// Whether nothing is left for the reader to be told of.
  public var isQuiet: Bool { isOver || read == written && !hasEnd }

  public var state: String {
    "\(name): \(read) of \(written) bytes read" + (hasEnd ? ", closed" : "")
  }

  private func report(_ text: String) { court.report(.events, nil, "\(name) \(text)") }
}
