/// A SHA-256 digest.
public struct Digest: Hashable, Sendable {
  // Four words and not an array: a manifest has many digests, and each array would be an allocation.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter bytes: The 32 bytes of the digest.
  init(bytes: some Sequence<UInt8>) {
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, byte) in bytes.enumerated() {
      words[index / 8] = words[index / 8] << 8 | UInt64(byte)
    }
    self.words = (words[0], words[1], words[2], words[3])
  }

  /// Nil unless `text` is 64 hexadecimal digits.
  init?(hexadecimal text: some Collection<UInt8>) {
    guard text.count == Self.digits else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.digits / 2)
    var high: UInt8?
    for character in text {
      guard let digit = Self.value(of: character) else { return nil }
      if let first = high.take() {
        bytes.append(first << 4 | digit)
      } else {
        high = digit
      }
    }
    self.init(bytes: bytes)
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// How many hexadecimal digits a digest has.
  static let digits = 64

  /// The digits as `sha256sum` prints them.
  var hexadecimal: [UInt8] {
    let (first, second, third, fourth) = words
    var text: [UInt8] = []
    text.reserveCapacity(Self.digits)
    for word in [first, second, third, fourth] {
      for shift in stride(from: 60, through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15
        text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
    return text
  }

  public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension Digest: CustomStringConvertible {
  public var description: String { String(decoding: hexadecimal, as: UTF8.self) }
}
