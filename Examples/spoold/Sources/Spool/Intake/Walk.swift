/// Goes through a directory and all below it, a bounded number of entries at a time.
///
/// It finds regular files, as `find -type f` does: it follows no symbolic link, and passes over
/// everything else. It has one directory open at a time, and keeps the paths of those to come.
struct Walk: ~Copyable {
  struct Found: Sendable, Hashable {
    /// Relative to the spool.
    let path: BytePath
    let stamp: Stamp
  }

  /// What a stretch of the way has brought.
  struct Batch: Sendable {
    var files: [Found] = []
    var problems: [Problem] = []
    /// Whether it was the last.
    var isLast = false
  }

  private let spool: SpoolDirectory
  /// The directory that is being read. Its path is empty for the spool itself.
  private var stream: DirectoryStream?
  private var path = BytePath("")
  /// Found and not yet opened; the last is the next.
  private var directories = [BytePath("")]

  init(_ spool: SpoolDirectory) { self.spool = spool }

  /// Looks at `count` more entries.
  ///
  /// - Throws: A ``Stop`` if the process has run out of something.
  mutating func next(_ count: Int) throws(Stop) -> Batch {
    var batch = Batch()
    for _ in 0..<count {
      do throws(SystemError) {
        guard try step(&batch) else {
          batch.isLast = true
          return batch
        }
      } catch {
        // What was being read: a directory, of which the rest is not known.
        if error.isShortage { throw .shortage(path.bytes.isEmpty ? spool.path : path, error) }
        if path.bytes.isEmpty { throw .spool(spool.path, error) }
        stream = nil
        if !error.meansGone { batch.problems.append(.unreadableDirectory(path, error)) }
      }
    }
    return batch
  }

  /// Looks at an entry, or opens a directory. False if there is nothing left.
  private mutating func step(_ batch: inout Batch) throws(SystemError) -> Bool {
    guard let (name, kind) = try stream?.next() else {
      stream = nil
      guard let next = directories.popLast() else { return false }
      path = next
      stream = try DirectoryStream(next, below: spool.descriptor)
      return true
    }
    let entry = path.appending(name)
    switch kind {
    case .directory: directories.append(entry)
    case .file, .unknown: try look(at: entry, &batch)
    case .other: break
    }
    return true
  }

  private mutating func look(at entry: BytePath, _ batch: inout Batch) throws(SystemError) {
    do throws(SystemError) {
      let status = try spool.descriptor.status(of: entry)
      if status.isRegularFile {
        batch.files.append(Found(path: entry, stamp: Stamp(status)))
      } else if status.isDirectory {
        directories.append(entry)
      }
    } catch {
      if error.isShortage { throw error }
      if !error.meansGone { batch.problems.append(.unreadable(entry, error)) }
    }
  }
}
