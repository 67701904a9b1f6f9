/// Goes through a directory and all directories below it, a bounded number of entries at a time.
///
/// It has one directory open at a time, and keeps the paths of the directories to come.
struct Walk: ~Copyable {
  typealias Found = Lister.Found
  typealias Batch = Lister.Batch

  private var lister: Lister
  /// Directories that were found and are not opened yet; the last is the next.
  private var directories = [BytePath("")]

  init(_ spool: SpoolDirectory) { lister = Lister(spool) }

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
        // The step was reading a directory. Nothing is known of the rest of it.
        let (path, spool) = (lister.path, lister.spool.path)
        if error.isShortage { throw .shortage(path.bytes.isEmpty ? spool : path, error) }
        if path.bytes.isEmpty { throw .spool(spool, error) }
        lister.close()
        if !error.meansGone { batch.problems.append(.unreadableDirectory(path, error)) }
      }
    }
    return batch
  }

  /// Looks at an entry, or opens a directory. False if nothing is left.
  private mutating func step(_ batch: inout Batch) throws(SystemError) -> Bool {
    if try lister.step(&batch) {
      directories += batch.directories
      batch.directories = []
      return true
    }
    guard let next = directories.popLast() else { return false }
    try lister.open(next)
    return true
  }
}
