/// What the manifest said of files when the run began, and what the run has found out about them.
///
/// It holds nothing of files that are new, so a first run needs no memory for them, however many there
/// are.
struct KnownFiles {
  private struct File {
    /// What the file's line says.
    var digest: Digest
    /// The newest fact about the file, see ``StampLine``.
    var fact: (stamp: Stamp, digest: Digest)?
    var fate = Fate.unseen
    /// Whether the line is already in the file that replaces the manifest.
    var isRenewed = false
    /// Whether the fact is already in the file that replaces the file of stamps.
    var factIsRenewed = false
  }

  /// What becomes of the line of a file.
  private enum Fate: Equatable {
    /// The run has not come to the file. At the end of the run: the file does not exist any more.
    case unseen
    /// The line is true.
    case stays
    /// The line was true once, and this digest is true now.
    case becomes(Digest)
    /// It is not known whether the line is true.
    case goes
  }

  private var files: [BytePath: File] = [:]
  private var hasRepeats = false

  var count: Int { files.count }

  // MARK: Before the run

  /// Takes in a line of the manifest. If a path has several lines, the last counts.
  mutating func add(_ line: ManifestLine) {
    let old = files.updateValue(File(digest: line.digest), forKey: line.path)
    if old != nil { hasRepeats = true }
  }

  /// Takes in what is known of a file. If a path has several facts, the last counts.
  mutating func add(_ fact: StampLine) {
    files[fact.path]?.fact = (fact.stamp, fact.digest)
  }

  // MARK: During the run

  /// Whether the digest of the file is known without reading it: a fact has the same stamp.
  mutating func recall(_ path: BytePath, _ stamp: Stamp) -> Bool {
    guard let fact = files[path]?.fact, fact.stamp == stamp else { return false }
    settle(path, fact.digest)
    return true
  }

  /// Records that the file has been read.
  ///
  /// - Returns: Whether the manifest already names it.
  mutating func note(_ fact: StampLine) -> Bool {
    guard files[fact.path] != nil else { return false }
    files[fact.path]?.fact = (fact.stamp, fact.digest)
    settle(fact.path, fact.digest)
    return true
  }

  private mutating func settle(_ path: BytePath, _ digest: Digest) {
    let stays = files[path]?.digest == digest
    files[path]?.fate = stays ? .stays : .becomes(digest)
  }

  /// Records that the file exists and could not be read.
  mutating func noteUnread(_ path: BytePath) { files[path]?.fate = .goes }

  // MARK: After the run

  /// Keeps the lines of files below `directories`, in which the run could not look.
  ///
  /// - Returns: How many files do not exist any more.
  mutating func settleRest(unread directories: [BytePath]) -> Int {
    var gone = 0
    for (path, file) in files where file.fate == .unseen {
      if directories.contains(where: path.isBelow) {
        files[path]?.fate = .stays
      } else {
        gone += 1
      }
    }
    return gone
  }

  /// Whether the manifest has a line that is not true, or two lines for one file.
  var manifestIsStale: Bool { hasRepeats || files.values.contains { $0.fate != .stays } }

  /// The line of the new manifest for a line of the old one; nil for none.
  mutating func renewed(_ line: ManifestLine) -> ManifestLine? {
    // The file is new in this run.
    guard let file = files[line.path] else { return line }
    guard !file.isRenewed else { return nil }
    files[line.path]?.isRenewed = true
    return switch file.fate {
    case .stays: ManifestLine(digest: file.digest, path: line.path)
    case .becomes(let digest): ManifestLine(digest: digest, path: line.path)
    case .unseen, .goes: nil
    }
  }

  /// Whether a fact belongs into the new file of stamps: it is the newest, and not there yet.
  mutating func renews(_ line: StampLine) -> Bool {
    guard let file = files[line.path] else { return true }
    guard let fact = file.fact, !file.factIsRenewed, file.fate != .unseen, file.fate != .goes,
      fact.stamp == line.stamp, fact.digest == line.digest
    else { return false }
    files[line.path]?.factIsRenewed = true
    return true
  }
}
