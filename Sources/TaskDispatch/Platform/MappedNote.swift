internal import Glibc

/// A few bytes that outlive the process if it dies. They are in a file, which is removed when the note is
/// released.
///
/// One thread at a time writes it. Writing makes no system call.
@safe package final class MappedNote: @unchecked Sendable {
  /// How many bytes a note holds. Text beyond that is left out.
  package static let capacity = 16_384

  private static let inUse = Locked<Set<String>>([])

  private let path: String
  private let bytes: UnsafeMutablePointer<UInt8>
  private var length = 0

  /// Makes the file, in the directory for temporary files, and leaves it empty.
  ///
  /// - Returns: Nil if the system refuses, or if this process has a note of that name already.
  package init?(named name: String) {
    path = Self.path(name)
    guard Self.inUse.withLock({ [path] in $0.insert(path).inserted }) else { return nil }
    // Never truncated: another process may have mapped it, and truncation would end that process.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      Self.inUse.withLock { [path] in _ = $0.remove(path) }
      return nil
    }
    defer { close(descriptor) }
    guard ftruncate(descriptor, Self.capacity) == 0,
      let memory = unsafe mmap(
        nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      unsafe memory != MAP_FAILED
    else {
      unsafe unlink(path)
      Self.inUse.withLock { [path] in _ = $0.remove(path) }
      return nil
    }
    unsafe bytes = memory.bindMemory(to: UInt8.self, capacity: Self.capacity)
    unsafe bytes[0] = 0
  }

  deinit {
    unsafe munmap(bytes, Self.capacity)
    unsafe unlink(path)
    Self.inUse.withLock { [path] in _ = $0.remove(path) }
  }

  /// Removes everything but the first `count` bytes.
  package func cut(to count: Int) {
    length = min(count, length)
    unsafe bytes[length] = 0
  }

  package var count: Int { length }

  package func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[index]) }
  }

  package func append(_ text: String) { for byte in text.utf8 { append(byte) } }

  /// Appends `number` in decimal, or nothing if it does not fit: some of its digits would be another number.
  package func append(_ number: UInt64) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    guard length + digits < Self.capacity else { return }
    rest = number
    for place in (length..<length + digits).reversed() {
      unsafe bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    length += digits
    unsafe bytes[length] = 0
  }

  private func append(_ byte: UInt8) {
    guard length + 1 < Self.capacity else { return }
    unsafe bytes[length] = byte
    unsafe bytes[length + 1] = 0
    length += 1
  }

  /// The text of the note of that name that a process has left behind. Nil if there is none.
  package static func left(named name: String) -> String? {
    guard let text = textOfFile(path(name)) else { return nil }
    return String(text.prefix { $0 != "\0" })
  }

  private static func path(_ name: String) -> String {
    "\(environment("TMPDIR") ?? "/tmp")/taskdispatch-\(getuid())-\(name)"
  }
}

/// The text of the file at `path`. Nil if it cannot be read, or if it is not UTF-8.
package func textOfFile(_ path: String) -> String? {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 16_384)
  while true {
    let count = unsafe read(descriptor, &part, part.count)
    if count < 0, errno == EINTR { continue }
    if count < 0 { return nil }
    if count == 0 { return String(validating: bytes, as: UTF8.self) }
    bytes += part[..<count]
  }
}

/// Appends `text` to the file at `path`, and makes the file if there is none.
///
/// - Returns: False if the system refuses.
package func appendToFile(_ path: String, _ text: String) -> Bool {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  let bytes = Array(text.utf8)
  return unsafe write(descriptor, bytes, bytes.count) == bytes.count
}

/// Whether a process with that process identifier exists.
package func processExists(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno == EPERM }

/// The process identifier of this process.
package var processNumber: Int32 { getpid() }

/// Writes a line to standard error.
package func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
