internal import Crypto
internal import Glibc
internal import TaskDispatch

/// Reads files of a spool. On workers: it waits for the disk.
struct FileReader: Sendable {
  /// What came of reading a file.
  enum Reading: Sendable, Hashable {
    /// All of it was read, and nobody wrote to it meanwhile.
    case done(Digest, Stamp)
    /// It was written to just now. Its stamp must be the same a little later.
    case unsettled(Stamp)
    case changed
    /// It is not there, or is not a regular file any more.
    case gone
    /// A shutdown has asked to stop.
    case cancelled
  }

  let spool: SpoolDirectory
  let settling: Settling
  /// Called before each read, with the path and how much has been read. For tests.
  var onRead: (@Sendable (BytePath, Int) -> Void)?

  private static let chunk = 256 * 1024

  init(_ spool: SpoolDirectory, settling: Settling) {
    self.spool = spool
    self.settling = settling
  }

  /// Reads a file from its beginning to its end.
  ///
  /// - Parameter quiet: What it was when it was found unsettled, as long ago as it takes to settle.
  /// - Throws: If the system does not let it be read.
  func read(_ path: BytePath, quietSince quiet: Stamp? = nil) throws(SystemError) -> Reading {
    do throws(SystemError) {
      // To open a socket fails, and to open a device may do something.
      guard try spool.descriptor.status(of: path).isRegularFile else { return .gone }
      // Not blocking: a pipe may have taken the file's place, and would wait for a writer.
      let file = try Descriptor(
        opening: path, in: spool.descriptor.number, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
      let status = try file.status()
      guard status.isRegularFile else { return .gone }
      let stamp = Stamp(status)
      guard stamp == quiet || settling.isOver(for: stamp) else { return .unsettled(stamp) }
      guard !CurrentTask.isCancelled else { return .cancelled }
      guard let digest = try digest(of: file, path, size: Int(stamp.size)) else {
        return CurrentTask.isCancelled ? .cancelled : .changed
      }
      // Of the path and not of the open file: another may have been put in its place.
      guard Stamp(try spool.descriptor.status(of: path)) == stamp else { return .changed }
      return .done(digest, stamp)
    } catch {
      guard error.meansGone else { throw error }
      return .gone
    }
  }

  /// Nil if it has not `size` bytes, or a shutdown has asked to stop.
  private func digest(
    of file: borrowing Descriptor, _ path: BytePath, size: Int
  ) throws(SystemError) -> Digest? {
    var hash = SHA256()
    var offset = 0
    // A byte more than there should be, so that most files take one read and one to see the end.
    var buffer = [UInt8](repeating: 0, count: min(Self.chunk, size + 1))
    while offset <= size, !CurrentTask.isCancelled {
      onRead?(path, offset)
      let count = try file.read(into: &buffer, at: offset)
      guard count > 0 else { break }
      unsafe buffer.withUnsafeBytes {
        unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
      offset += count
    }
    guard offset == size, !CurrentTask.isCancelled else { return nil }
    return Digest(bytes: hash.finalize())
  }
}
