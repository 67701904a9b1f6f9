/// How `sha256sum` writes a name that contains a line end, a carriage return or a backslash.
enum Escape {
  private static let backslash = UInt8(ascii: "\\")
  private static let lineEnd = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  static func isNeeded(_ bytes: [UInt8]) -> Bool {
    bytes.contains { $0 == backslash || $0 == lineEnd || $0 == carriageReturn }
  }

  static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    guard isNeeded(bytes) else { return bytes }
    return bytes.flatMap { byte in
      switch byte {
      case backslash: [backslash, backslash]
      case lineEnd: [backslash, UInt8(ascii: "n")]
      case carriageReturn: [backslash, UInt8(ascii: "r")]
      default: [byte]
      }
    }
  }

  /// Nil if a backslash stands before anything else than one of the three.
  static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.contains(backslash) else { return Array(text) }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == backslash else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case backslash: bytes.append(backslash)
      case UInt8(ascii: "n"): bytes.append(lineEnd)
      case UInt8(ascii: "r"): bytes.append(carriageReturn)
      default: return nil
      }
    }
    return bytes
  }
}
