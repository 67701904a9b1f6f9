internal import Glibc

/// The one owner of an open descriptor. Closes it at the end of its own life.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32
  private var isLocked = false

  /// Opens `path`, relative to the open directory `base`, or else to the working directory.
  ///
  /// - Parameter flags: The flags of `open(2)`. No child inherits the descriptor.
  init(
    opening path: BytePath, in base: Int32 = AT_FDCWD, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) {
    number = try checked("openat") {
      unsafe path.withCString { unsafe openat(base, $0, flags | O_CLOEXEC, mode) }
    }
  }

  /// Takes over an open descriptor that no other code closes.
  init(owning number: Int32) { self.number = number }

  deinit {
    // A child process that was forked and has not executed its program yet has the file open as well.
    // Closing it here would leave the lock to the child.
    if isLocked { flock(number, LOCK_UN) }
    close(number)
  }

  /// The status of the open file.
  func status() throws(SystemError) -> stat {
    var status = stat()
    try checked("fstat") { unsafe fstat(number, &status) }
    return status
  }

  /// The status of `path` below this directory. Does not follow a symbolic link.
  func status(of path: BytePath) throws(SystemError) -> stat {
    var status = stat()
    try checked("fstatat") {
      unsafe path.withCString { unsafe fstatat(number, $0, &status, AT_SYMLINK_NOFOLLOW) }
    }
    return status
  }

  /// Reads at `offset` into the front of `buffer`.
  ///
  /// - Returns: How many bytes it read; 0 at the end of the file.
  func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
    try checked("pread") {
      unsafe buffer.withUnsafeMutableBytes {
        unsafe pread(number, $0.baseAddress, $0.count, offset)
      }
    }
  }

  /// Reads the next bytes into the front of `buffer`.
  ///
  /// - Returns: How many bytes it read; 0 at the end.
  func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    try checked("read") {
      unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(number, $0.baseAddress, $0.count)
      }
    }
  }

  /// Writes the front of `bytes`: as much as the system takes at once.
  func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
    try checked("write") {
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
    }
  }

  /// Cuts the file off at `length`.
  func truncate(to length: Int) throws(SystemError) {
    try checked("ftruncate") { ftruncate(number, length) }
  }

  /// Returns when everything that was written is on the disk.
  func synchronize() throws(SystemError) { try checked("fsync") { fsync(number) } }

  /// Locks the open file for this process, until this value ends.
  ///
  /// - Returns: False if another process has locked it.
  mutating func lock() throws(SystemError) -> Bool {
    do throws(SystemError) {
      try checked("flock") { flock(number, LOCK_EX | LOCK_NB) }
      isLocked = true
      return true
    } catch {
      guard error.code == EWOULDBLOCK else { throw error }
      return false
    }
  }
}
