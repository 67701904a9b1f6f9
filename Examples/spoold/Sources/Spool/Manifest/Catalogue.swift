/// What is known of every file of the spool, and where the manifest does not say it yet.
struct Catalogue: Sendable {
  private struct Known: Sendable {
    var digest: Digest
    /// Nil if it is not known when the digest was taken: then it counts until the file is looked at.
    var stamp: Stamp?
  }

  /// A change that the manifest lacks.
  struct Change: Sendable, Hashable {
    let path: BytePath
    /// Nil if the path must have no line.
    let digest: Digest?
  }

  /// Directories that contain known files themselves.
  private var directories: [BytePath: [[UInt8]: Known]] = [:]
  /// Directories with known files further down: for each the names in it that lead to them.
  private var subdirectories: [BytePath: Set<[UInt8]>] = [:]
  private(set) var count = 0
  /// Paths for which the manifest is wrong, with the digest of its line: nil if it has no line.
  private var unsaved: [BytePath: Digest?] = [:]
  /// The unsaved paths without a line, in the order in which they were found. A path may stand there
  /// twice, or not be one of them any more.
  private var fresh = Line<BytePath>()
  /// How many lines of the manifest are not true.
  private(set) var staleCount = 0
  /// Paths with more than one line in the manifest.
  private var repeated: Set<BytePath> = []

  // MARK: What the manifest says at first

  /// Takes in a line of the manifest. If a path has several lines, the last counts.
  mutating func add(_ line: ManifestLine) {
    if self[line.path] != nil { repeated.insert(line.path) }
    self[line.path] = Known(digest: line.digest)
  }

  /// Takes in a fact, which counts only for a file that has a line. If the line says something else,
  /// the line is out of date: facts are written first.
  mutating func add(_ fact: StampLine) {
    guard self[fact.path] != nil else { return }
    set(fact)
  }

  // MARK: What the run finds out

  /// Whether what is known of the file is still true, by its stamp.
  func knows(_ path: BytePath, _ stamp: Stamp) -> Bool { self[path]?.stamp == stamp }

  func contains(_ path: BytePath) -> Bool { self[path] != nil }

  /// Takes in the result of reading a file.
  mutating func set(_ fact: StampLine) {
    let before = saved(fact.path)
    self[fact.path] = Known(digest: fact.digest, stamp: fact.stamp)
    note(fact.path, manifestSays: before)
  }

  /// Takes in that a file is gone, or that its content is not known.
  ///
  /// - Returns: Whether the file was known.
  @discardableResult
  mutating func remove(_ path: BytePath) -> Bool {
    guard self[path] != nil else { return false }
    let before = saved(path)
    self[path] = nil
    note(path, manifestSays: before)
    return true
  }

  /// The names of the known files in a directory.
  func names(in directory: BytePath) -> [[UInt8]] {
    directories[directory].map { Array($0.keys) } ?? []
  }

  /// The names of those directories in a directory that have known files in them or further down.
  func subdirectories(in directory: BytePath) -> Set<[UInt8]> { subdirectories[directory] ?? [] }

  /// The known files in a directory and below it.
  func paths(below directory: BytePath) -> [BytePath] {
    var paths: [BytePath] = []
    var rest = [directory]
    while let next = rest.popLast() {
      paths += names(in: next).map(next.appending)
      rest += subdirectories(in: next).map(next.appending)
    }
    return paths
  }

  /// Whether a line of the file of stamps is still useful.
  func isNewest(_ fact: StampLine) -> Bool {
    guard let known = self[fact.path] else { return false }
    return known.stamp == fact.stamp && known.digest == fact.digest
  }

  // MARK: What the manifest must say

  /// For how many paths the manifest is wrong.
  var unsavedCount: Int { unsaved.count }
  /// Whether only a new manifest can correct it.
  var isStale: Bool { staleCount > 0 || !repeated.isEmpty }

  /// Whether there may be lines that only have to be added.
  var hasFresh: Bool { fresh.count > 0 }

  /// Takes out changes whose lines only have to be added, in the order in which they were found. Report
  /// them with ``noteSaved(_:)`` or ``putBack(_:)`` before you take more.
  mutating func takeFresh(_ count: Int) -> [Change] {
    var lines: [Change] = []
    var taken: Set<BytePath> = []
    while lines.count < count, let path = fresh.popFirst() {
      guard isFresh(path), taken.insert(path).inserted else { continue }
      lines.append(Change(path: path, digest: self[path]?.digest))
    }
    return lines
  }

  /// Everything that a new manifest must say differently. Report it with ``noteSaved(_:)``.
  func changes() -> [Change] {
    repeated.union(unsaved.keys).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      .map { Change(path: $0, digest: self[$0]?.digest) }
  }

  /// Records that the manifest says this now.
  mutating func noteSaved(_ changes: some Sequence<Change>) {
    for change in changes { note(change.path, manifestSays: change.digest) }
  }

  /// Records that there is a new manifest, in which no path has two lines.
  mutating func noteRewritten() { repeated = [] }

  /// Records that lines of ``takeFresh(_:)`` were not written.
  mutating func putBack(_ changes: some Collection<Change>) {
    fresh.putBack(changes.map(\.path))
  }

  private func isFresh(_ path: BytePath) -> Bool {
    guard case .some(nil) = unsaved[path] else { return false }
    return true
  }

  private func saved(_ path: BytePath) -> Digest? {
    if let exception = unsaved[path] { return exception }
    return self[path]?.digest
  }

  private mutating func note(_ path: BytePath, manifestSays saved: Digest?) {
    let before = unsaved[path]
    if case .some(.some) = before { staleCount -= 1 }
    guard saved != self[path]?.digest else {
      unsaved[path] = nil
      return
    }
    unsaved.updateValue(saved, forKey: path)
    guard saved == nil else {
      staleCount += 1
      return
    }
    if case .some(nil) = before { return }
    fresh.append(path)
    // Files that come and go while the manifest cannot be written must leave nothing here.
    if fresh.count > 2 * unsaved.count + 1_000 {
      var kept: Set<BytePath> = []
      let unsaved = unsaved
      fresh.removeAll { path in
        guard case .some(nil) = unsaved[path] else { return true }
        return !kept.insert(path).inserted
      }
    }
  }

  private subscript(path: BytePath) -> Known? {
    get { directories[path.directory]?[path.lastName] }
    set {
      let directory = path.directory
      let isFirst = directories[directory] == nil
      let before = directories[directory]?[path.lastName]
      count += (newValue == nil ? 0 : 1) - (before == nil ? 0 : 1)
      directories[directory, default: [:]][path.lastName] = newValue
      if directories[directory]!.isEmpty {
        directories[directory] = nil
        unlink(directory)
      } else if isFirst {
        link(directory)
      }
    }
  }

  /// Records in all directories above that a directory has files.
  private mutating func link(_ directory: BytePath) {
    var directory = directory
    while !directory.bytes.isEmpty {
      let above = directory.directory
      guard subdirectories[above, default: []].insert(directory.lastName).inserted else { return }
      directory = above
    }
  }

  /// Records in the directories above that a directory has no files any more.
  private mutating func unlink(_ directory: BytePath) {
    var directory = directory
    while !directory.bytes.isEmpty, directories[directory] == nil, subdirectories[directory] == nil
    {
      let above = directory.directory
      subdirectories[above]?.remove(directory.lastName)
      guard subdirectories[above]?.isEmpty == true else { return }
      subdirectories[above] = nil
      directory = above
    }
  }
}
