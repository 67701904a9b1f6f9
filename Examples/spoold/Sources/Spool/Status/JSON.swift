/// As much of JSON as a reply needs.
public enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(Int)
  case string([UInt8])
  case array([JSON])
  /// The members, in this order.
  case object([Member])

  public struct Member: Sendable, Hashable {
    let name: String
    let value: JSON

    init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  public init(stringLiteral text: String) { self = .string(Array(text.utf8)) }
  public init(integerLiteral number: Int) { self = .number(number) }
  public init(booleanLiteral isTrue: Bool) { self = .bool(isTrue) }
}

extension JSON {
  /// The value on one line, in ASCII only.
  var text: [UInt8] {
    var text: [UInt8] = []
    write(to: &text)
    return text
  }

  private func write(to text: inout [UInt8]) {
    switch self {
    case .null: text += "null".utf8
    case .bool(let isTrue): text += (isTrue ? "true" : "false").utf8
    case .number(let number): text += "\(number)".utf8
    case .string(let bytes): Self.write(bytes, to: &text)
    case .array(let values):
      Self.write(values, between: "[", "]", to: &text) { $0.write(to: &$1) }
    case .object(let members):
      Self.write(members, between: "{", "}", to: &text) { member, text in
        Self.write(Array(member.name.utf8), to: &text)
        text += ":".utf8
        member.value.write(to: &text)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between begin: String, _ end: String, to text: inout [UInt8],
    _ writeOne: (Element, inout [UInt8]) -> Void
  ) {
    text += begin.utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ",".utf8 }
      writeOne(element, &text)
    }
    text += end.utf8
  }

  /// Bytes that are not UTF-8 become the replacement character, since JSON has no bytes.
  private static func write(_ bytes: [UInt8], to text: inout [UInt8]) {
    text += "\"".utf8
    for unit in String(decoding: bytes, as: UTF8.self).utf16 {
      switch unit {
      case 0x22: text += "\\\"".utf8
      case 0x5C: text += "\\\\".utf8
      case 0x0A: text += "\\n".utf8
      case 0x20..<0x7F: text.append(UInt8(unit))
      default:
        let digits = String(unit, radix: 16)
        text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      }
    }
    text += "\"".utf8
  }
}
