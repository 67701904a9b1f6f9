import Glibc

@testable import Spool

/// A directory of a test's own, with what a test does to files. It is removed with this object.
///
/// Names are bytes here as well; a literal is UTF-8.
final class Scratch: Sendable {
  let path: BytePath

  /// - Parameter runsPrograms: Whether programs must be allowed to run from the directory. If not, it
  ///   is in memory, if possible: a manifest waits for its disk.
  init(runsPrograms: Bool = false) {
    let isInMemory = unsafe !runsPrograms && access("/dev/shm", W_OK) == 0
    let template = "\(isInMemory ? "/dev/shm" : "/tmp")/spool-tests.XXXXXX"
    var bytes = template.utf8CString
    let made = unsafe bytes.withUnsafeMutableBufferPointer {
      unsafe mkdtemp($0.baseAddress!) != nil
    }
    precondition(made, "mkdtemp failed: \(SystemError.last("mkdtemp").text)")
    path = BytePath(bytes.dropLast().map { UInt8(bitPattern: $0) })
    // Other users must be able to look into it.
    chmod(0o755)
  }

  deinit { _ = try? Shell.run("rm -rf \"$1\"", [path]) }

  subscript(name: BytePath) -> BytePath { path.appending(name.bytes) }

  private func chmod(_ mode: mode_t) {
    _ = unsafe path.withCString { unsafe Glibc.chmod($0, mode) }
  }

  /// Writes a file, and makes the directories above it.
  func write(_ name: BytePath, _ bytes: some Sequence<UInt8>) throws {
    try makeDirectory(name.parent)
    try write(name, Array(bytes), O_TRUNC)
  }

  func write(_ name: BytePath, _ text: String) throws { try write(name, text.utf8) }

  /// Writes behind what is there.
  func append(_ name: BytePath, _ text: String) throws {
    try write(name, Array(text.utf8), O_APPEND)
  }

  private func write(_ name: BytePath, _ bytes: [UInt8], _ flag: Int32) throws {
    let file = try Descriptor(opening: self[name], O_WRONLY | O_CREAT | flag, mode: 0o644)
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try file.write(rest)) }
  }

  /// A file that is open for writing; empty if it did not exist.
  func open(_ name: BytePath) throws -> Descriptor {
    try Descriptor(opening: self[name], O_WRONLY | O_CREAT, mode: 0o644)
  }

  /// Writes at the beginning, over what is there.
  func overwrite(_ name: BytePath, _ text: String) throws {
    let file = try Descriptor(opening: self[name], O_WRONLY)
    _ = try file.write(Array(text.utf8)[...])
  }

  func read(_ name: BytePath) throws -> [UInt8] {
    let file = try Descriptor(opening: self[name], O_RDONLY)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while case let count = try file.read(into: &chunk, at: bytes.count), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }

  func exists(_ name: BytePath) -> Bool {
    unsafe self[name].withCString { unsafe access($0, F_OK) } == 0
  }

  /// The lines of a file, without their ends, sorted. An unfinished last line counts as a line.
  func sortedLines(_ name: BytePath) throws -> [String] {
    try read(name).split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// Makes a directory and those above it that do not exist.
  func makeDirectory(_ name: BytePath) throws {
    guard !exists(name) else { return }
    try makeDirectory(name.parent)
    try checked("mkdir") { unsafe self[name].withCString { unsafe mkdir($0, 0o755) } }
  }

  func remove(_ name: BytePath) throws { try LineFile.remove(self[name]) }

  func rename(_ from: BytePath, _ to: BytePath) throws {
    try checked("rename") {
      unsafe self[from].withCString { from in
        unsafe self[to].withCString { unsafe Glibc.rename(from, $0) }
      }
    }
  }
}
