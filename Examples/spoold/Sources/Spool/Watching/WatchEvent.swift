internal import Glibc

/// A notice of the kernel that something in a watched directory has changed.
///
/// It only says where to look. What is there now, a look finds out.
struct WatchEvent: Sendable, Hashable {
  let watch: Inotify.Watch
  let mask: UInt32
  /// The name of the entry in the directory; empty if the notice is about the directory itself.
  let name: [UInt8]

  /// Notices were lost: there were more than the kernel keeps.
  var meansOverflow: Bool { has(IN_Q_OVERFLOW) }
  /// The watch has ended. This is its last notice.
  var endsWatch: Bool { has(IN_IGNORED) }
  var isOfDirectory: Bool { has(IN_ISDIR) }
  /// The entry does not exist any more under this name.
  var meansGone: Bool { has(IN_DELETE) || has(IN_MOVED_FROM) }
  /// The program that has written to the file, or put it here, has finished with it.
  var meansComplete: Bool { meansGone || has(IN_CLOSE_WRITE) || has(IN_MOVED_TO) }

  private func has(_ flag: Int32) -> Bool { mask & UInt32(flag) != 0 }
}

extension WatchEvent {
  private static let headSize = 16

  /// Parses what was read.
  ///
  /// - Returns: The notices, and whether the bytes contain whole notices only. The kernel gives no
  ///   others.
  static func parse(_ bytes: ArraySlice<UInt8>) -> (events: [WatchEvent], isWhole: Bool) {
    var events: [WatchEvent] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.count >= headSize else { return (events, false) }
      let words = unsafe rest.withUnsafeBytes { bytes in
        (0..<4).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
      }
      // The third word connects the two notices of a move.
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
