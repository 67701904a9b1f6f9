/// Writes messages of protocol buffers: of that format, what a ``Recording`` needs.
struct ProtocolBufferWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ field: UInt64, _ value: UInt64) {
    append(field << 3)
    append(value)
  }

  mutating func number(_ field: UInt64, _ value: Int) {
    number(field, UInt64(bitPattern: Int64(value)))
  }

  /// Eight bytes, whatever the value.
  mutating func fixed(_ field: UInt64, _ value: UInt64) {
    append(field << 3 | 1)
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  mutating func text(_ field: UInt64, _ value: String) {
    append(field << 3 | 2)
    append(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  mutating func message(_ field: UInt64, _ body: (inout ProtocolBufferWriter) -> Void) {
    var inner = ProtocolBufferWriter()
    body(&inner)
    append(field << 3 | 2)
    append(UInt64(inner.bytes.count))
    bytes.append(contentsOf: inner.bytes)
  }

  private mutating func append(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}

/// Reads the fields of a message, one after the other.
struct ProtocolBufferReader {
  struct Malformed: Error {}

  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next field and its value. Nil at the end.
  mutating func next() throws(Malformed) -> (field: UInt64, value: Value)? {
    if rest.isEmpty { return nil }
    let key = try number()
    switch key & 7 {
    case 0: return (key >> 3, .number(try number()))
    case 1: return (key >> 3, .number(try fixed(8)))
    case 2: return (key >> 3, .bytes(try bytes(number())))
    case 5: return (key >> 3, .number(try fixed(4)))
    default: throw Malformed()
    }
  }

  private mutating func number() throws(Malformed) -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while let byte = rest.popFirst() {
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { break }
    }
    throw Malformed()
  }

  private mutating func bytes(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
    guard count <= UInt64(rest.count) else { throw Malformed() }
    defer { rest = rest.dropFirst(Int(count)) }
    return rest.prefix(Int(count))
  }

  private mutating func fixed(_ count: UInt64) throws(Malformed) -> UInt64 {
    try bytes(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
