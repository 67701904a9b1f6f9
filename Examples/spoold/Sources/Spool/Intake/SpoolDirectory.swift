internal import Glibc

/// The directory whose files are taken in. It stays open as long as this object lives.
public final class SpoolDirectory: Sendable {
  /// The path as it was given.
  let path: BytePath
  let descriptor: Descriptor

  /// Opens `path`, which may be a symbolic link to a directory.
  ///
  /// - Throws: If the directory does not exist, is no directory, or may not be read.
  public init(_ path: BytePath) throws(Stop) {
    self.path = path
    do throws(SystemError) {
      descriptor = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
    } catch {
      throw error.isShortage ? .shortage(path, error) : .spool(path, error)
    }
  }

  /// Throws unless the path still leads to this directory: `ESTALE` if it leads to another. Waits for
  /// the disk.
  func requireInPlace() throws(SystemError) {
    var status = stat()
    try checked("stat") { unsafe path.withCString { unsafe stat($0, &status) } }
    guard Stamp(status).identity == Stamp(try descriptor.status()).identity else {
      throw SystemError(call: "stat", code: ESTALE)
    }
  }
}
