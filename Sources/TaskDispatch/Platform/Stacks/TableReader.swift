/// Reads the numbers of tables for unwinding, one after the other, and no further than the tables go.
struct TableReader {
  /// The tables end too early, or have a form that is not known.
  struct Malformed: Error {}

  private let bytes: LoadedBytes
  private let dataStart: UInt64
  /// The address of the next byte.
  var at: UInt64

  init(_ bytes: LoadedBytes, at address: UInt64, dataStart: UInt64 = 0) {
    self.bytes = bytes
    self.dataStart = dataStart
    at = address
  }

  mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type
  ) throws(Malformed) -> Number {
    guard let number = bytes.load(type, at: at) else { throw Malformed() }
    at &+= UInt64(MemoryLayout<Number>.size)
    return number
  }

  mutating func skip(_ count: UInt64) throws(Malformed) { at &+= count }

  /// A number of any length, seven bits to a byte, the lowest first.
  mutating func unsigned() throws(Malformed) -> UInt64 { try bits().value }

  mutating func signed() throws(Malformed) -> Int64 {
    let (value, count) = try bits()
    guard count < 64 else { return Int64(bitPattern: value) }
    // The highest bit that was read says whether it is negative.
    let unused = 64 - count
    return Int64(bitPattern: value << unused) >> unused
  }

  private mutating func bits() throws(Malformed) -> (value: UInt64, count: UInt64) {
    var (value, count) = (UInt64(0), UInt64(0))
    while true {
      let byte = try read(UInt8.self)
      value |= UInt64(byte & 0x7f) << count
      count += 7
      if byte < 0x80 { return (value, count) }
      if count > 63 { throw Malformed() }
    }
  }

  /// The length that an entry begins with.
  ///
  /// - Returns: Where the entry ends.
  mutating func length() throws(Malformed) -> UInt64 {
    let length = try read(UInt32.self)
    // The first is the end of the tables, the second an entry of more than four gigabytes.
    guard length != 0, length != .max else { throw Malformed() }
    return at &+ UInt64(length)
  }

  /// An address in one of several forms. The low half of `form` says how long it is, the high half what it is counted
  /// from.
  mutating func pointer(_ form: UInt8) throws(Malformed) -> UInt64 {
    if form == 0xff { return 0 }
    let here = at
    let value: Int64
    switch form & 0x0f {
    case 0x00, 0x04, 0x0c: value = try read(Int64.self)
    case 0x01: value = Int64(bitPattern: try unsigned())
    case 0x02: value = Int64(try read(UInt16.self))
    case 0x03: value = Int64(try read(UInt32.self))
    case 0x09: value = try signed()
    case 0x0a: value = Int64(try read(Int16.self))
    case 0x0b: value = Int64(try read(Int32.self))
    default: throw Malformed()
    }
    let number = UInt64(bitPattern: value)
    switch form & 0x70 {
    case 0x00: return number
    case 0x10: return number &+ here
    case 0x30: return number &+ dataStart
    default: throw Malformed()
    }
  }

  mutating func expression() throws(Malformed) -> UnwindTable.Expression {
    let length = try unsigned()
    let start = at
    try skip(length)
    return UnwindTable.Expression(start: start, end: at)
  }
}
