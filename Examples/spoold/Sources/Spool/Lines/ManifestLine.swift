/// A line of the manifest: a digest and the path of its file, as `sha256sum` writes them.
struct ManifestLine: Hashable, Sendable {
  let digest: Digest
  let path: BytePath

  /// The line with its end, as `sha256sum` prints it when it is given the path.
  ///
  /// The name `-` is written `./-`, because `sha256sum -c` would read its own input for `-`.
  var text: [UInt8] {
    let isDash = path.bytes == [UInt8(ascii: "-")]
    let name = isDash ? Array("./-".utf8) : path.bytes
    let start = Escape.isNeeded(name) ? Array("\\".utf8) : []
    return start + digest.hexadecimal + "  ".utf8 + Escape.escaped(name) + "\n".utf8
  }
}

extension ManifestLine {
  /// Reads what `sha256sum -c` reads: digits in either case, a text or a binary file, and a carriage
  /// return at the end that does not belong to the name. `./` before the path means nothing.
  ///
  /// - Parameter text: A line without its end.
  init?(_ text: ArraySlice<UInt8>) {
    let isEscaped = text.first == UInt8(ascii: "\\")
    let line = isEscaped ? text.dropFirst() : text
    guard let digest = Digest(hexadecimal: line.prefix(Digest.digits)) else { return nil }
    var rest = line.dropFirst(Digest.digits)
    guard rest.popFirst() == UInt8(ascii: " "),
      let kind = rest.popFirst(), kind == UInt8(ascii: " ") || kind == UInt8(ascii: "*")
    else { return nil }
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    guard var name = isEscaped ? Escape.unescaped(rest)?[...] : rest else { return nil }
    while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
    guard !name.isEmpty, !name.contains(0) else { return nil }
    self.init(digest: digest, path: BytePath(name))
  }

  /// Whether `text` can be a part of a line that a crash has cut off.
  static func mayBegin(with text: ArraySlice<UInt8>) -> Bool {
    let line = text.first == UInt8(ascii: "\\") ? text.dropFirst() : text
    let digits = line.prefix(Digest.digits)
    let padding = Array(repeating: UInt8(ascii: "0"), count: Digest.digits - digits.count)
    return Digest(hexadecimal: digits + padding) != nil
      && "  ".utf8.starts(with: line.dropFirst(Digest.digits).prefix(2))
  }
}
