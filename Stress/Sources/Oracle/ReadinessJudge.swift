/// Watches what one handler of a descriptor is told: what it asked for, and nothing else.
public final class ReadinessJudge: Sendable {
  public let calls: HandlerJudge
  private let interest: UInt8

  /// - Parameter interest: The bits that it asks for.
  public init(interest: UInt8, name: String, court: Court) {
    self.interest = interest
    calls = HandlerJudge(name, court: court)
  }

  /// A call of it, with these bits.
  public func told(_ bits: UInt8) {
    calls.begins()
    if bits == 0 { report("was told of nothing") }
    if bits & ~interest != 0 {
      report("asked for \(interest) and was told of \(bits)")
    }
  }

  private func report(_ text: String) { calls.court.report(.events, nil, "\(calls.name) \(text)") }
}

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
