/// The manifest of one run through the spool, with what is known of the files that it names.
///
/// **Whole at any moment.** A line of `FILE` is true when it is written, and is written at once.
/// ``commit(unread:)`` removes all lines that are no longer true together, by putting a new file in the
/// place of the old one. Until then the new digest of a changed file is not in `FILE`, since it would
/// stand beside the old one. It is in `FILE.spoold`, so a run that is killed has not read the file in
/// vain.
///
/// **Continued.** What is known of a file counts only if `FILE` names it. So if a line,
/// or all of `FILE`, is removed, spoold reads the file again.
struct Manifest: ~Copyable {
  private var files: ManifestFiles
  private var known: KnownFiles
  private var lineCount: Int

  /// Opens or makes the manifest at `path`, takes in what it says, and cuts off what a crash has left
  /// of a line.
  init(_ path: BytePath) throws(Stop) {
    var known = KnownFiles()
    files = try ManifestFiles(path, onLine: { known.add($0) }, onFact: { known.add($0) })
    lineCount = known.count
    self.known = known
  }

  /// Whether this is one of the manifest's own files.
  func owns(_ identity: Stamp.Identity) -> Bool { files.owns(identity) }

  // MARK: During the run

  /// Whether the digest of the file is known without reading it.
  mutating func recall(_ path: BytePath, _ stamp: Stamp) -> Bool { known.recall(path, stamp) }

  /// Takes in that a file with this stamp has this digest. Writes its line, unless it has one.
  mutating func add(_ path: BytePath, _ digest: Digest, _ stamp: Stamp) throws(Stop) {
    let fact = StampLine(digest: digest, stamp: stamp, path: path)
    if !known.note(fact) {
      try files.append(ManifestLine(digest: digest, path: path))
      lineCount += 1
    }
    try files.append(fact)
  }

  /// Takes in that a file exists and could not be read. It loses its line, since it is not known
  /// whether the line is still true.
  mutating func addUnread(_ path: BytePath) { known.noteUnread(path) }

  // MARK: After the run

  /// Completes the manifest after a run that came to every file: one true line for each, and all of it
  /// on the disk.
  ///
  /// - Parameter unread: Directories that could not be read. Lines of files below them stay.
  /// - Returns: How many files it no longer names because they do not exist any more.
  mutating func commit(unread directories: [BytePath]) throws(Stop) -> Int {
    let gone = known.settleRest(unread: directories)
    let isStale = known.manifestIsStale
    try files.requireInPlace()
    if isStale { try files.replaceLines { known.renewed($0) } }
    try files.synchronize()
    // Besides the useful facts, as many again and a thousand may be useless.
    guard isStale || files.stampCount > 2 * lineCount + 1_000 else { return gone }
    try files.replaceStamps { known.renews($0) }
    return gone
  }
}
