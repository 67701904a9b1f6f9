internal import Glibc

/// A few bytes that outlive the process if it dies: they are in a file, which is gone if all ends well.
///
/// Written by one thread at a time, without a system call.
@safe package final class MappedNote: @unchecked Sendable {
  /// How many bytes it holds; what does not fit is left out.
  package static let capacity = 16_384

  private static let inUse = Locked<Set<String>>([])

  private let path: String
  private let bytes: UnsafeMutablePointer<UInt8>
  private var length = 0

  /// Makes the file, in the directory for temporary ones, and leaves it empty.
  ///
  /// - Returns: Nil if the system does not let it, or if this process has one of that name.
  package init?(named name: String) {
    path = Self.path(name)
    guard Self.inUse.withLock({ [path] in $0.insert(path).inserted }) else { return nil }
    // Never made shorter: another process may have it mapped, and would be ended by that.
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

  /// Makes it empty again, but for its first bytes.
  package func cut(to count: Int) {
    length = min(count, length)
    unsafe bytes[length] = 0
  }

  package var count: Int { length }

  package func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[index]) }
  }

  package func append(_ text: String) { for byte in text.utf8 { append(byte) } }

  /// Nothing of it if it does not fit: some of its digits are another number.
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

  /// What the note of that name says that somebody has left behind. Nil if there is none.
  package static func left(named name: String) -> String? {
    guard let text = textOfFile(path(name)) else { return nil }
    return String(text.prefix { $0 != "\0" })
  }

  private static func path(_ name: String) -> String {
    "\(environment("TMPDIR") ?? "/tmp")/taskdispatch-\(getuid())-\(name)"
  }
}

/// What the file at `path` says. Nil if there is none that can be read, or if it is no text.
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

/// Adds `text` at the end of the file at `path`, which it makes if there is none.
///
/// - Returns: False if the system does not let it.
package func appendToFile(_ path: String, _ text: String) -> Bool {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  let bytes = Array(text.utf8)
  return unsafe write(descriptor, bytes, bytes.count) == bytes.count
}

/// Whether a process of that number exists.
package func processExists(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno == EPERM }

/// This process's number.
package var processNumber: Int32 { getpid() }

/// Prints a line where errors go.
package func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
