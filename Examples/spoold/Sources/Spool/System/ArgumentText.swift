internal import Glibc

/// Arguments of a process as text, without loss.
///
/// A path is bytes, and a `String` is not: bytes that are not UTF-8 would be repaired, and then name
/// another file. So in an argument that is not UTF-8, each byte that is not ASCII is passed through the
/// parser as one of the last 256 scalars for private use. An argument that contains such a scalar
/// itself is treated in the same way.
public enum ArgumentText {
  private static let base: UInt32 = 0x10_FF00

  /// The arguments that the process was given, without its own name.
  public static var all: [String] {
    (1..<max(1, Int(CommandLine.argc))).map { index in
      let argument = unsafe CommandLine.unsafeArgv[index]!
      let bytes = unsafe UnsafeBufferPointer(start: argument, count: strlen(argument))
      return unsafe text(of: bytes.map { UInt8(bitPattern: $0) })
    }
  }

  static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ $0.value < base })
    {
      return text
    }
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      scalars.append(
        byte < 0x80 ? Unicode.Scalar(byte) : Unicode.Scalar(base + UInt32(byte))!)
    }
    return String(scalars)
  }

  /// The path that `text` stands for.
  public static func path(_ text: String) -> BytePath {
    BytePath(
      text.unicodeScalars.flatMap { scalar in
        scalar.value < base
          ? Array(String(scalar).utf8) : [UInt8(truncatingIfNeeded: scalar.value)]
      })
  }
}
