internal import Crypto
internal import Glibc
internal import TaskDispatch

/// Reads files of a spool. Use it on workers: it waits for the disk.
struct FileReader: Sendable {
  /// The result of reading a file.
  enum Reading: Sendable, Hashable {
    /// All of the file was read, and no program wrote to it during that time.
    case done(Digest, Stamp)
    /// A program wrote to the file just now. Its stamp must be the same a little later.
    case unsettled(Stamp)
    case changed
    /// The file does not exist, or is not a regular file any more.
    case gone
    /// A shutdown has asked the body to stop.
    case cancelled
  }

  let spool: SpoolDirectory
  let settling: Settling
  /// Called before each read, with the path and the number of bytes read so far. For tests.
  var onRead: (@Sendable (BytePath, Int) -> Void)?

  private static let chunk = 256 * 1024

  init(_ spool: SpoolDirectory, settling: Settling) {
    self.spool = spool
    self.settling = settling
  }

  /// Reads a file from its beginning to its end.
  ///
  /// - Parameter quiet: The stamp with which the file was found unsettled, at least the settling time
  ///   ago.
  /// - Throws: If the system does not let the file be read.
  func read(_ path: BytePath, quietSince quiet: Stamp? = nil) throws(SystemError) -> Reading {
    do throws(SystemError) {
      // This check comes first, since opening a socket fails, and opening a device may have an effect.
      guard try spool.descriptor.status(of: path).isRegularFile else { return .gone }
      // Not blocking: a pipe may have taken the file's place, and opening it would wait for a writer.
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
      // The status of the path and not of the open file: another file may have taken its place.
      guard Stamp(try spool.descriptor.status(of: path)) == stamp else { return .changed }
      return .done(digest, stamp)
    } catch {
      guard error.meansGone else { throw error }
      return .gone
    }
  }

  /// Nil if the file does not have `size` bytes, or a shutdown has asked the body to stop.
  private func digest(
    of file: borrowing Descriptor, _ path: BytePath, size: Int
  ) throws(SystemError) -> Digest? {
    var hash = SHA256()
    var offset = 0
    // One byte more than the size, so that most files take one read, and one more to see the end.
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
