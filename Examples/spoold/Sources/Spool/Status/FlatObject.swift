/// A JSON object of strings, numbers, `true`, `false` and `null`: a request can be no more.
///
/// The parser is strict: it refuses what the grammar of JSON (RFC 8259) does not allow, and says where.
struct FlatObject: Sendable, Hashable {
  enum Value: Sendable, Hashable {
    case string(String)
    /// The number as it was written: no code computes with it.
    case number(String)
    case bool(Bool)
    case null
  }

  /// Why a line is no such object.
  struct Refusal: Error, Sendable, Hashable {
    /// The place, counted in bytes from 1.
    let column: Int
    let reason: String
  }

  private(set) var members: [String: Value] = [:]

  /// - Parameter line: A line without its end.
  init(_ line: ArraySlice<UInt8>) throws(Refusal) {
    var parser = Parser(line)
    try parser.skip("{")
    if !parser.goesOn(with: "}") {
      repeat {
        parser.passSpace()
        let start = parser.column
        let name = try parser.string()
        try parser.skip(":")
        let value = try parser.value()
        guard members.updateValue(value, forKey: name) == nil else {
          throw Refusal(column: start, reason: "there is a second \"\(name)\"")
        }
      } while parser.goesOn(with: ",")
      try parser.skip("}")
    }
    try parser.end()
  }

  private struct Parser {
    private let text: ArraySlice<UInt8>
    private var index: Int

    init(_ text: ArraySlice<UInt8>) {
      self.text = text
      index = text.startIndex
    }

    var column: Int { index - text.startIndex + 1 }

    private var next: UInt8? { index < text.endIndex ? text[index] : nil }

    private func refuse(_ expected: String) -> Refusal {
      let found =
        switch next {
        case nil: "the end of the line"
        case let byte? where (0x21..<0x7F).contains(byte): "'\(Unicode.Scalar(byte))'"
        case let byte?: "byte \(byte)"
        }
      return Refusal(column: column, reason: "found \(found) where \(expected) is expected")
    }

    mutating func passSpace() {
      while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0D { index += 1 }
    }

    mutating func goesOn(with mark: Unicode.Scalar) -> Bool {
      passSpace()
      guard next == UInt8(ascii: mark) else { return false }
      index += 1
      return true
    }

    mutating func skip(_ mark: Unicode.Scalar) throws(Refusal) {
      guard goesOn(with: mark) else { throw refuse("'\(mark)'") }
    }

    mutating func end() throws(Refusal) {
      passSpace()
      guard next == nil else { throw refuse("the end of the line") }
    }

    mutating func value() throws(Refusal) -> Value {
      passSpace()
      switch next {
      case UInt8(ascii: "\""): return .string(try string())
      case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte):
        return .number(try number())
      default: break
      }
      for (word, value) in [("true", Value.bool(true)), ("false", .bool(false)), ("null", .null)]
      where text[index...].starts(with: word.utf8) {
        index += word.utf8.count
        return value
      }
      throw refuse("a string, a number, true, false or null")
    }

    private mutating func number() throws(Refusal) -> String {
      let start = index
      if next == UInt8(ascii: "-") { index += 1 }
      // JSON allows no leading zeros.
      if next == UInt8(ascii: "0") { index += 1 } else { try digits() }
      if next == UInt8(ascii: ".") {
        index += 1
        try digits()
      }
      if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
        index += 1
        if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
        try digits()
      }
      return String(decoding: text[start..<index], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private mutating func digits() throws(Refusal) {
      let start = index
      while let byte = next, Self.isDigit(byte) { index += 1 }
      guard index > start else { throw refuse("a digit") }
    }

    mutating func string() throws(Refusal) -> String {
      passSpace()
      guard next == UInt8(ascii: "\"") else { throw refuse("a string") }
      let start = column
      index += 1
      var units: [UInt8] = []
      while let byte = next, byte != UInt8(ascii: "\"") {
        guard byte >= 0x20 else { throw refuse("a character of a string") }
        index += 1
        if byte == UInt8(ascii: "\\") { units += try escape() } else { units.append(byte) }
      }
      guard next != nil else { throw refuse("'\"'") }
      index += 1
      guard let string = String(validating: units, as: UTF8.self) else {
        throw Refusal(column: start, reason: "this string is not UTF-8")
      }
      return string
    }

    /// The character that stands behind a backslash, as UTF-8.
    private mutating func escape() throws(Refusal) -> [UInt8] {
      let plain: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
      ]
      if let byte = next, let meaning = plain[byte] {
        index += 1
        return [meaning]
      }
      let start = column
      let first = try unit()
      var units = [first]
      // A character beyond the first 65536 is written as two units.
      if 0xD800..<0xDC00 ~= first, next == UInt8(ascii: "\\") {
        index += 1
        units.append(try unit())
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw Refusal(column: start, reason: "half of a character")
      }
      return Array(text.utf8)
    }

    private mutating func unit() throws(Refusal) -> UInt16 {
      guard next == UInt8(ascii: "u") else { throw refuse("an escape of JSON") }
      index += 1
      var unit: UInt16 = 0
      for _ in 0..<4 {
        guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
          throw refuse("a hexadecimal digit")
        }
        unit = unit << 4 | UInt16(digit)
        index += 1
      }
      return unit
    }
  }
}
