/// What is known of every file of the spool, and where the manifest does not say so yet.
struct Catalogue: Sendable {
  private struct Known: Sendable {
    var digest: Digest
    /// Nil if nobody knows when the digest was taken: then it counts until it is looked at.
    var stamp: Stamp?
  }

  /// A change that the manifest lacks.
  struct Change: Sendable, Hashable {
    let path: BytePath
    /// Nil if there is to be no line.
    let digest: Digest?
  }

  /// Those that have files of their own.
  private var directories: [BytePath: [[UInt8]: Known]] = [:]
  /// What stands in those that have files further down.
  private var subdirectories: [BytePath: Set<[UInt8]>] = [:]
  private(set) var count = 0
  /// What the manifest says of those of which it says something else: nil if it has no line.
  private var unsaved: [BytePath: Digest?] = [:]
  /// Those of them without a line, in the order in which they came; some may not be such any more,
  /// or stand there twice.
  private var fresh = Line<BytePath>()
  /// How many lines there are that are not true.
  private(set) var staleCount = 0
  /// Of which the manifest has more than one line.
  private var repeated: Set<BytePath> = []

  // MARK: What the manifest says to begin with

  /// Takes in a line of the manifest. Of several for one path, the last counts.
  mutating func add(_ line: ManifestLine) {
    if self[line.path] != nil { repeated.insert(line.path) }
    self[line.path] = Known(digest: line.digest)
  }

  /// Takes in a fact, which counts only for a file that has a line. If the line says something else,
  /// it is the line that is out of date: facts are written first.
  mutating func add(_ fact: StampLine) {
    guard self[fact.path] != nil else { return }
    set(fact)
  }

  // MARK: What is found out

  /// Whether what is known of the file is still true, by its stamp.
  func knows(_ path: BytePath, _ stamp: Stamp) -> Bool { self[path]?.stamp == stamp }

  func contains(_ path: BytePath) -> Bool { self[path] != nil }

  /// Takes in what reading a file has brought.
  mutating func set(_ fact: StampLine) {
    let before = saved(fact.path)
    self[fact.path] = Known(digest: fact.digest, stamp: fact.stamp)
    note(fact.path, manifestSays: before)
  }

  /// Takes in that a file is gone, or that nobody knows what is in it.
  ///
  /// - Returns: Whether it was known.
  @discardableResult
  mutating func remove(_ path: BytePath) -> Bool {
    guard self[path] != nil else { return false }
    let before = saved(path)
    self[path] = nil
    note(path, manifestSays: before)
    return true
  }

  /// The names of the files that are known in a directory.
  func names(in directory: BytePath) -> [[UInt8]] {
    directories[directory].map { Array($0.keys) } ?? []
  }

  /// The names of the directories in a directory in which or below which files are known.
  func subdirectories(in directory: BytePath) -> Set<[UInt8]> { subdirectories[directory] ?? [] }

  /// The files that are known in a directory and below it.
  func paths(below directory: BytePath) -> [BytePath] {
    var paths: [BytePath] = []
    var rest = [directory]
    while let next = rest.popLast() {
      paths += names(in: next).map(next.appending)
      rest += subdirectories(in: next).map(next.appending)
    }
    return paths
  }

  /// Whether a line of the file of stamps is of use.
  func isNewest(_ fact: StampLine) -> Bool {
    guard let known = self[fact.path] else { return false }
    return known.stamp == fact.stamp && known.digest == fact.digest
  }

  // MARK: What the manifest is told

  /// How many paths the manifest is not right about.
  var unsavedCount: Int { unsaved.count }
  /// Whether it can only be put right by another in its place.
  var isStale: Bool { staleCount > 0 || !repeated.isEmpty }

  /// Whether there may be lines that only have to be added.
  var hasFresh: Bool { fresh.count > 0 }

  /// Takes out lines that only have to be added, in the order in which they came. They are to be
  /// reported by ``noteSaved(_:)`` or ``putBack(_:)`` before more are taken.
  mutating func takeFresh(_ count: Int) -> [Change] {
    var lines: [Change] = []
    var taken: Set<BytePath> = []
    while lines.count < count, let path = fresh.popFirst() {
      guard isFresh(path), taken.insert(path).inserted else { continue }
      lines.append(Change(path: path, digest: self[path]?.digest))
    }
    return lines
  }

  /// Everything that another manifest must say differently. To be reported by ``noteSaved(_:)``.
  func changes() -> [Change] {
    repeated.union(unsaved.keys).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      .map { Change(path: $0, digest: self[$0]?.digest) }
  }

  /// Takes note that the manifest says this now.
  mutating func noteSaved(_ changes: some Sequence<Change>) {
    for change in changes { note(change.path, manifestSays: change.digest) }
  }

  /// Takes note that another manifest is there, which has no line twice.
  mutating func noteRewritten() { repeated = [] }

  /// Takes note that lines of ``takeFresh(_:)`` were not written.
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
    // Files that come and go while nothing can be written leave nothing behind.
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

  /// Notes that a directory has files, in those above it.
  private mutating func link(_ directory: BytePath) {
    var directory = directory
    while !directory.bytes.isEmpty {
      let above = directory.directory
      guard subdirectories[above, default: []].insert(directory.lastName).inserted else { return }
      directory = above
    }
  }

  /// Notes that a directory has no files any more.
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
