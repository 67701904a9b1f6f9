/// A line of the file beside the manifest: a file that has this stamp has this digest.
///
/// It is a fact about the file, not about the manifest. It was true when it was written, and stays
/// true, since a changed file has another stamp. So lines may be lost, repeated or out of date without
/// harm: if a line is lost, its file is read again.
struct StampLine: Hashable, Sendable {
  let digest: Digest
  let stamp: Stamp
  let path: BytePath

  /// The line with its end.
  var text: [UInt8] {
    let numbers = [
      Int64(bitPattern: stamp.device), Int64(bitPattern: stamp.inode), stamp.size,
      stamp.modified.seconds, stamp.modified.nanoseconds,
      stamp.changed.seconds, stamp.changed.nanoseconds,
    ]
    let middle = numbers.map { " \($0)" }.joined() + " "
    return digest.hexadecimal + middle.utf8 + Escape.escaped(path.bytes) + "\n".utf8
  }
}

extension StampLine {
  /// - Parameter text: A line without its end.
  init?(_ text: ArraySlice<UInt8>) {
    let fields = text.split(
      separator: UInt8(ascii: " "), maxSplits: 8, omittingEmptySubsequences: false)
    guard fields.count == 9, let digest = Digest(hexadecimal: fields[0]),
      let path = Escape.unescaped(fields[8]), !path.isEmpty
    else { return nil }
    let numbers = fields[1...7].compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 7 else { return nil }
    self.digest = digest
    self.path = BytePath(path)
    stamp = Stamp(
      device: UInt64(bitPattern: numbers[0]), inode: UInt64(bitPattern: numbers[1]),
      size: numbers[2],
      modified: Stamp.Instant(seconds: numbers[3], nanoseconds: numbers[4]),
      changed: Stamp.Instant(seconds: numbers[5], nanoseconds: numbers[6]))
  }
}
