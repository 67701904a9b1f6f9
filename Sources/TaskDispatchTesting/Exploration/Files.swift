internal import Glibc

/// The text of the file at `path`. Nil if it cannot be read, or if it is not UTF-8.
func textOfFile(_ path: String) -> String? {
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
func appendToFile(_ path: String, _ text: String) -> Bool {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  let bytes = Array(text.utf8)
  return unsafe write(descriptor, bytes, bytes.count) == bytes.count
}

/// Whether a process with that process identifier exists.
func processExists(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno == EPERM }

/// The process identifier of this process.
var processNumber: Int32 { getpid() }

/// Writes a line to standard error.
func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
