internal import Glibc

/// A path as the system has it: bytes, none of them zero. They need not be UTF-8, so this is no
/// `String`, and becomes one only for people to read.
public struct BytePath: Hashable, Sendable {
  public let bytes: [UInt8]

  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  public init(_ text: String) { bytes = Array(text.utf8) }

  /// The path of `name` in this directory; `name` alone if this is the empty path.
  func appending(_ name: some Sequence<UInt8>) -> BytePath {
    bytes.isEmpty ? BytePath(name) : BytePath(bytes + [UInt8(ascii: "/")] + name)
  }

  /// The path of a file beside this one, whose name is longer by `suffix`.
  func adding(suffix: String) -> BytePath { BytePath(bytes + suffix.utf8) }

  /// The directory that contains this.
  var parent: BytePath {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return BytePath(".") }
    return slash == 0 ? BytePath("/") : BytePath(bytes[..<slash])
  }

  /// The names of which a relative path consists.
  var names: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

  /// The last of the names.
  var lastName: [UInt8] {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
    return Array(bytes[(slash + 1)...])
  }

  /// The directory above, for a path within the spool: the empty path for a name in the spool itself.
  var directory: BytePath { bytes.contains(UInt8(ascii: "/")) ? parent : BytePath("") }

  /// Whether this stands somewhere below `directory`. Everything stands below the empty path.
  func isBelow(_ directory: BytePath) -> Bool {
    let outer = directory.bytes
    guard !outer.isEmpty else { return true }
    return bytes.count > outer.count && bytes[outer.count] == UInt8(ascii: "/")
      && bytes.starts(with: outer)
  }

  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe (bytes + [0]).withUnsafeBytes {
      unsafe body($0.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }

  /// The symbolic links on the way to it, each by the path by which it is followed.
  var links: [BytePath] {
    let slash = UInt8(ascii: "/")
    var links: [BytePath] = []
    var directory = BytePath(bytes.first == slash ? "/" : ".")
    var names = Array(names.reversed())
    while let name = names.popLast() {
      let next = directory.appending(name)
      // The system follows at most so many.
      guard links.count < 40, let target = next.target else {
        directory = next
        continue
      }
      links.append(next)
      names += target.names.reversed()
      if target.bytes.first == slash { directory = BytePath("/") }
    }
    return links
  }

  /// Where it points if it is a symbolic link.
  private var target: BytePath? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe withCString { path in
      unsafe buffer.withUnsafeMutableBytes {
        unsafe readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
      }
    }
    return count < 0 ? nil : BytePath(buffer[..<count])
  }

  /// The path without symbolic links, from the root.
  func resolved() throws(SystemError) -> BytePath {
    guard let found = unsafe withCString({ unsafe realpath($0, nil) }) else {
      throw .last("realpath")
    }
    defer { unsafe free(found) }
    return unsafe BytePath(
      UnsafeBufferPointer(start: found, count: strlen(found)).lazy.map { UInt8(bitPattern: $0) })
  }
}

extension BytePath {
  /// The path for one line of a message: control characters and backslashes are escaped, all other
  /// bytes stay as they are, also those that are not UTF-8.
  public var shown: [UInt8] {
    var shown: [UInt8] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\\"): shown += [byte, byte]
      case UInt8(ascii: "\n"): shown += "\\n".utf8
      case UInt8(ascii: "\r"): shown += "\\r".utf8
      case UInt8(ascii: "\t"): shown += "\\t".utf8
      case ..<0x20, 0x7f: shown += "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: shown.append(byte)
      }
    }
    return shown
  }
}

extension BytePath: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) { self.init(text) }
}

extension BytePath: CustomStringConvertible {
  public var description: String { String(decoding: shown, as: UTF8.self) }
}
