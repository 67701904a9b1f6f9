/// Reads one directory at a time, an entry at a time.
///
/// It finds regular files, as `find -type f` does: it follows no symbolic link, and ignores everything
/// else.
struct Lister: ~Copyable {
  struct Found: Sendable, Hashable {
    /// Relative to the spool.
    let path: BytePath
    let stamp: Stamp
  }

  /// What some steps have found.
  struct Batch: Sendable {
    var files: [Found] = []
    var directories: [BytePath] = []
    var problems: [Problem] = []
    /// Whether this batch is the last.
    var isLast = false
  }

  let spool: SpoolDirectory
  /// The directory that is being read. Its path is empty for the spool itself.
  private(set) var path = BytePath("")
  private var stream: DirectoryStream?

  init(_ spool: SpoolDirectory) { self.spool = spool }

  /// Opens another directory.
  mutating func open(_ directory: BytePath) throws(SystemError) {
    stream = nil
    path = directory
    stream = try DirectoryStream(directory, below: spool.descriptor)
  }

  private var isOpen: Bool {
    switch stream {
    case .some: true
    case .none: false
    }
  }

  /// Closes the directory.
  mutating func close() { stream = nil }

  /// Looks at an entry. False if none is left, or if no directory is open.
  mutating func step(_ batch: inout Batch) throws(SystemError) -> Bool {
    guard let (name, kind) = try stream?.next() else {
      stream = nil
      return false
    }
    let entry = path.appending(name)
    switch kind {
    case .directory: batch.directories.append(entry)
    case .file, .unknown: try look(at: entry, &batch)
    case .other: break
    }
    return true
  }

  private func look(at entry: BytePath, _ batch: inout Batch) throws(SystemError) {
    do throws(SystemError) {
      let status = try spool.descriptor.status(of: entry)
      if status.isRegularFile {
        batch.files.append(Found(path: entry, stamp: Stamp(status)))
      } else if status.isDirectory {
        batch.directories.append(entry)
      }
    } catch {
      if error.isShortage { throw error }
      if !error.meansGone { batch.problems.append(.unreadable(entry, error)) }
    }
  }
}

extension Lister {
  /// Looks at `count` more entries of a directory. Begins at its start if another directory was read
  /// before.
  mutating func next(_ directory: BytePath, _ count: Int) throws(SystemError) -> Batch {
    var batch = Batch()
    do throws(SystemError) {
      if !isOpen || path != directory {
        if directory.bytes.isEmpty { try spool.requireInPlace() }
        try open(directory)
      }
      for _ in 0..<count {
        guard try step(&batch) else {
          batch.isLast = true
          break
        }
      }
    } catch {
      close()
      throw error
    }
    return batch
  }
}
