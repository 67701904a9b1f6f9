/// What the manifest said of files when the run began, and what the run has found out about them.
///
/// It holds nothing of the files that are new, so a first run over any number of them needs no
/// memory for it.
struct KnownFiles {
  private struct File {
    /// What its line says.
    var digest: Digest
    /// The newest fact about it, see ``StampLine``.
    var fact: (stamp: Stamp, digest: Digest)?
    var fate = Fate.unseen
    /// Whether its line is in the file that replaces the manifest.
    var isRenewed = false
    /// Whether its fact is in the file that replaces the other.
    var factIsRenewed = false
  }

  /// What becomes of the line of a file.
  private enum Fate: Equatable {
    /// The run has not come to it; at the end, that it is not there any more.
    case unseen
    /// It is true.
    case stays
    /// It was true once, and this is true now.
    case becomes(Digest)
    /// Nobody knows whether it is true.
    case goes
  }

  private var files: [BytePath: File] = [:]
  private var hasRepeats = false

  var count: Int { files.count }

  // MARK: Before the run

  /// Takes in a line of the manifest. Of several for one path, the last counts.
  mutating func add(_ line: ManifestLine) {
    let old = files.updateValue(File(digest: line.digest), forKey: line.path)
    if old != nil { hasRepeats = true }
  }

  /// Takes in what is known of a file. Of several facts about one path, the last counts.
  mutating func add(_ fact: StampLine) {
    files[fact.path]?.fact = (fact.stamp, fact.digest)
  }

  // MARK: During the run

  /// Whether the digest of the file is known without reading it: its stamp is the one of a fact.
  mutating func recall(_ path: BytePath, _ stamp: Stamp) -> Bool {
    guard let fact = files[path]?.fact, fact.stamp == stamp else { return false }
    settle(path, fact.digest)
    return true
  }

  /// Notes that the file has been read.
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

  /// Notes that the file is there and could not be read.
  mutating func noteUnread(_ path: BytePath) { files[path]?.fate = .goes }

  // MARK: After the run

  /// Leaves what the run has not come to, below `directories`, as it is: it could not look there.
  ///
  /// - Returns: How many files are not there any more.
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

  /// Whether the manifest has a line that is not true, or two for one file.
  var manifestIsStale: Bool { hasRepeats || files.values.contains { $0.fate != .stays } }

  /// What stands in the new manifest for a line of the old one; nil for nothing.
  mutating func renewed(_ line: ManifestLine) -> ManifestLine? {
    // A file that is new in this run.
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
