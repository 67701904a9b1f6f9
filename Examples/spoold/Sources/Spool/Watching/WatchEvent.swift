internal import Glibc

/// A notice of the kernel that something in a watched directory has changed.
///
/// It says where to look, and nothing else is taken from it: what is there now, looking shows.
struct WatchEvent: Sendable, Hashable {
  let watch: Inotify.Watch
  let mask: UInt32
  /// Of the entry in the directory; empty if it is about the directory itself.
  let name: [UInt8]

  /// Notices were lost: there were more than the kernel keeps.
  var meansOverflow: Bool { has(IN_Q_OVERFLOW) }
  /// The watch is no more. The last notice of each.
  var endsWatch: Bool { has(IN_IGNORED) }
  var isOfDirectory: Bool { has(IN_ISDIR) }
  /// The entry is not there any more, under this name.
  var meansGone: Bool { has(IN_DELETE) || has(IN_MOVED_FROM) }
  /// Whoever has written to the file, or put it here, is through with it.
  var meansComplete: Bool { meansGone || has(IN_CLOSE_WRITE) || has(IN_MOVED_TO) }

  private func has(_ flag: Int32) -> Bool { mask & UInt32(flag) != 0 }
}

extension WatchEvent {
  private static let headSize = 16

  /// Takes apart what was read.
  ///
  /// - Returns: The notices, and whether the bytes are those of whole ones: the kernel gives no
  ///   others.
  static func parse(_ bytes: ArraySlice<UInt8>) -> (events: [WatchEvent], isWhole: Bool) {
    var events: [WatchEvent] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.count >= headSize else { return (events, false) }
      let words = unsafe rest.withUnsafeBytes { bytes in
        (0..<4).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
      }
      // The third joins the two notices of a move.
      let (number, mask, length) = (words[0], words[1], Int(words[3]))
      rest = rest.dropFirst(headSize)
      guard rest.count >= length else { return (events, false) }
      // Zeros follow the name, up to the next notice.
      let name = rest.prefix(length).prefix { $0 != 0 }
      rest = rest.dropFirst(length)
      guard isName(name) else { return (events, false) }
      events.append(
        WatchEvent(
          watch: Inotify.Watch(number: Int32(bitPattern: number)), mask: mask, name: Array(name)))
    }
    return (events, true)
  }

  /// Whether it is empty, or can be the name of one entry.
  private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
    let dot = UInt8(ascii: ".")
    return name != [dot] && name != [dot, dot] && !name.contains(UInt8(ascii: "/"))
  }
}
