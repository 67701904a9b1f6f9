internal import Glibc

/// The directory whose files are taken in. Open for as long as anybody holds this.
public final class SpoolDirectory: Sendable {
  /// As it was given.
  let path: BytePath
  let descriptor: Descriptor

  /// Opens `path`, which may be a symbolic link to a directory.
  ///
  /// - Throws: If it is not there, is no directory, or may not be read.
  public init(_ path: BytePath) throws(Stop) {
    self.path = path
    do throws(SystemError) {
      descriptor = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
    } catch {
      throw error.isShortage ? .shortage(path, error) : .spool(path, error)
    }
  }

  /// Throws unless it still stands where it was found: `ESTALE` if another directory does. Waits
  /// for the disk.
  func requireInPlace() throws(SystemError) {
    var status = stat()
    try checked("stat") { unsafe path.withCString { unsafe stat($0, &status) } }
    guard Stamp(status).identity == Stamp(try descriptor.status()).identity else {
      throw SystemError(call: "stat", code: ESTALE)
    }
  }
}
