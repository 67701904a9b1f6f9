internal import Glibc

/// A file of lines that grows at its end, under the name where it was found.
///
/// One `write(2)` writes a line. A kill in the middle of the call may still leave a part of the line
/// (the kernel checks for signals between two pages), and so may a full disk. ``cutTail()`` removes
/// what stands behind the last line end when the file is opened.
struct LineFile: ~Copyable {
  /// Without symbolic links, so that a file put in its place does not replace a link.
  private(set) var path: BytePath
  /// The path as it was given.
  private(set) var given: BytePath
  /// Whether it is a file on a disk. If not, it can only be written to.
  let isRegular: Bool
  private var descriptor: Descriptor
  private(set) var identity: Stamp.Identity
  /// The position behind the last whole line.
  private var end = 0
  private var isOnDisk = true

  /// Opens the file, and makes it if it does not exist.
  init(_ path: BytePath) throws(SystemError) {
    let opened = try Self.open(path)
    let status = try opened.status()
    let resolved = status.isRegularFile ? try path.resolved() : path
    self.path = resolved
    given = path
    isRegular = status.isRegularFile
    identity = Stamp(status).identity
    descriptor = opened
  }

  private static func open(_ path: BytePath) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(opening: path, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY, mode: 0o666)
    } catch {
      // A device or a pipe may allow only writing. For anything else the first error is the better one.
      guard let descriptor = try? Descriptor(opening: path, O_WRONLY | O_APPEND | O_NOCTTY),
        let status = try? descriptor.status(), !status.isRegularFile
      else { throw error }
      return descriptor
    }
  }

  /// Opens the file, or makes it, and locks it against other processes.
  ///
  /// - Returns: Nil if another process has locked it.
  static func locked(_ path: BytePath) throws(SystemError) -> LineFile? {
    while true {
      var file = try LineFile(path)
      guard file.isRegular else { return file }
      guard try file.descriptor.lock() else { return nil }
      // The process that held the lock before may have put another file in this place.
      if try file.stands() { return file }
    }
  }

  /// Whether this is the file under the name that was given.
  func stands() throws(SystemError) -> Bool {
    guard isRegular else { return true }
    var status = stat()
    do throws(SystemError) {
      try checked("stat") { unsafe given.withCString { unsafe stat($0, &status) } }
      return Stamp(status).identity == identity
    } catch {
      guard error.meansGone else { throw error }
      return false
    }
  }

  // MARK: Reading

  /// The most bytes that a line may have: a path of the system, escaped, and some numbers.
  private static let longestLine = 16 * 1024

  /// Calls `body` with every whole line, without its end, until `body` returns false.
  ///
  /// - Returns: What stands behind the last line; only its front if it is too long for a line.
  mutating func readLines(
    _ body: (ArraySlice<UInt8>) throws(SystemError) -> Bool
  ) throws(SystemError) -> ArraySlice<UInt8> {
    guard isRegular else { return [] }
    var wholeLines = 0
    var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    var rest: [UInt8] = []
    var offset = 0
    while rest.count <= Self.longestLine {
      let count = try descriptor.read(into: &chunk, at: offset)
      guard count > 0 else { break }
      offset += count
      rest += chunk[..<count]
      var start = 0
      while let lineEnd = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
        guard try body(rest[start..<lineEnd]) else { return [] }
        wholeLines += lineEnd + 1 - start
        start = lineEnd + 1
      }
      rest.removeFirst(start)
    }
    end = wholeLines
    return rest[...]
  }

  /// Cuts off what stands behind the last whole line. Call it only after a ``readLines(_:)`` that read
  /// to the end.
  func cutTail() throws(SystemError) {
    guard isRegular else { return }
    try descriptor.truncate(to: end)
  }

  // MARK: Writing

  /// Writes a line, with its end, behind all others.
  ///
  /// - Throws: If the system does not take all of it. Then the file is as it was before.
  mutating func append(_ line: [UInt8]) throws(SystemError) {
    isOnDisk = false
    var rest = line[...]
    while !rest.isEmpty {
      do throws(SystemError) { rest = rest.dropFirst(try descriptor.write(rest)) } catch {
        // A full disk allows a file to be cut. If even that fails, the next start cuts it.
        if rest.count < line.count { try? cutTail() }
        throw error
      }
    }
    end += line.count
  }

  /// Replaces this file by a new one with what `write` appends to that.
  ///
  /// A program that opens the path, at whatever moment, finds all of the old file or all of the new
  /// one.
  ///
  /// - Parameter temporary: Where the new file stands until it is whole; in the same directory.
  /// - Throws: If the replacement failed. Then the old file is in its place, and unchanged.
  mutating func replace(
    through temporary: BytePath,
    _ write: (inout LineFile, inout LineFile) throws(SystemError) -> Void
  ) throws(SystemError) {
    try Self.remove(temporary)
    do throws(SystemError) {
      var fresh = try LineFile(temporary)
      try fresh.inheritRights(from: descriptor)
      // Before it gets the name, so that no process finds it there unlocked.
      _ = try fresh.descriptor.lock()
      try write(&self, &fresh)
      // In this order: a name must not reach the disk before the content that it names.
      try fresh.descriptor.synchronize()
      try checked("rename") {
        unsafe temporary.withCString { from in
          unsafe path.withCString { unsafe rename(from, $0) }
        }
      }
      (fresh.path, fresh.given) = (path, given)
      self = fresh
    } catch {
      try? Self.remove(temporary)
      throw error
    }
  }

  /// Returns when all lines and the file's name are on the disk.
  mutating func synchronize() throws(SystemError) {
    guard isRegular, !isOnDisk else { return }
    try descriptor.synchronize()
    // Some directories allow names to be changed and do not allow reading. Then the system decides when
    // it writes the name.
    if let directory = try? Descriptor(opening: path.parent, O_RDONLY | O_DIRECTORY) {
      try directory.synchronize()
    }
    isOnDisk = true
  }

  /// Removes the file that a killed run has left at `path`.
  static func remove(_ path: BytePath) throws(SystemError) {
    do throws(SystemError) {
      try checked("unlink") { unsafe path.withCString { unsafe unlink($0) } }
    } catch  where error.code == ENOENT {}
  }

  private func inheritRights(from other: borrowing Descriptor) throws(SystemError) {
    let status = try other.status()
    // Only root may change the owner of a file. In all other cases this user owns it already.
    _ = fchown(descriptor.number, status.st_uid, status.st_gid)
    try checked("fchmod") { fchmod(descriptor.number, status.st_mode & 0o7777) }
  }
}
