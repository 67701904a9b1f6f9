internal import CNote
internal import Glibc
internal import TaskDispatch

/// A few bytes that outlive the process if it dies. They are in a file, which is removed when the note is released.
///
/// One thread at a time writes it. Writing makes no system call.
@safe final class MappedNote: @unchecked Sendable {
  private static let inUse = Locked<Set<String>>([])

  private let path: String
  private let note: cnote
  private var length = 0

  /// Makes the file, in the directory for temporary files, and leaves it empty.
  ///
  /// - Returns: Nil if the system refuses, or if this process has a note of that name already.
  init?(named name: String) {
    path = Self.path(name)
    guard Self.inUse.withLock({ [path] in $0.insert(path).inserted }) else { return nil }
    unsafe note = cnote_open(path)
    guard unsafe cnote_is_open(note) != 0 else {
      Self.inUse.withLock { [path] in _ = $0.remove(path) }
      return nil
    }
  }

  deinit {
    unsafe cnote_close(note)
    unsafe unlink(path)
    Self.inUse.withLock { [path] in _ = $0.remove(path) }
  }

  /// Removes everything but the first `count` bytes.
  func cut(to count: Int) {
    length = min(count, length)
    put(0, at: length)
  }

  var count: Int { length }

  /// Appends `text`. What does not fit is left out.
  func append(_ text: String) { for byte in text.utf8 { append(byte) } }

  /// Appends `number` in decimal, or nothing if it does not fit: some of its digits would be another number.
  func append(_ number: UInt64) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    guard hasRoom(for: digits) else { return }
    rest = number
    for place in (length..<length + digits).reversed() {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), at: place)
      rest /= 10
    }
    length += digits
    put(0, at: length)
  }

  private func append(_ byte: UInt8) {
    guard hasRoom(for: 1) else { return }
    put(byte, at: length)
    put(0, at: length + 1)
    length += 1
  }

  private func hasRoom(for count: Int) -> Bool { length + count < cnote_capacity }

  private func put(_ byte: UInt8, at position: Int) { unsafe cnote_put(note, position, byte) }

  /// The text of the note of that name that a process has left behind. Nil if there is none.
  static func left(named name: String) -> String? {
    guard let text = textOfFile(path(name)) else { return nil }
    return String(text.prefix { $0 != "\0" })
  }

  private static func path(_ name: String) -> String {
    "\(environment("TMPDIR") ?? "/tmp")/taskdispatch-\(getuid())-\(name)"
  }
}
