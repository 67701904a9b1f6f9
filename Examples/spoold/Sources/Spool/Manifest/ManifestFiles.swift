/// The manifest and, beside it, the file of stamps: open, and locked against other processes.
///
/// There are three files. `FILE` is what `sha256sum -c` reads. `FILE.spoold` says which digest a file
/// had with which stamp, see ``StampLine``. `FILE.spoold.new` exists only while one of the two is
/// replaced. This type knows how they are written; its user decides what they contain.
struct ManifestFiles: ~Copyable {
  private var lines: LineFile
  /// Nil if the manifest is no file on a disk: then there is nothing to continue.
  private var stamps: LineFile?
  /// How many lines the file of stamps has, including outdated ones.
  private(set) var stampCount = 0
  private let temporary: BytePath

  static let suffix = ".spoold"
  private static let title = Array("spoold 1: stamp and digest of files\n".utf8)

  /// Opens or makes the files, and cuts off what a crash has left of a last line.
  ///
  /// - Parameters:
  ///   - onLine: Called with every line of the manifest.
  ///   - onFact: Called with every line of the file of stamps, after that.
  init(
    _ path: BytePath, onLine: (ManifestLine) -> Void, onFact: (StampLine) -> Void
  ) throws(Stop) {
    var count = 0
    let lines = try Self.openLines(path, onLine)
    let stamps = try Self.openStamps(beside: lines, &count, onFact)
    temporary = lines.path.adding(suffix: "\(Self.suffix).new")
    stampCount = count
    self.stamps = stamps
    self.lines = lines
  }

  private static func openFile(_ path: BytePath) throws(Stop) -> LineFile {
    do throws(SystemError) {
      if let file = try LineFile.locked(path) { return file }
    } catch { throw error.isShortage ? .shortage(path, error) : .manifest(path, error) }
    throw .inUse(path)
  }

  private static func openLines(
    _ path: BytePath, _ onLine: (ManifestLine) -> Void
  ) throws(Stop) -> LineFile {
    var file = try openFile(path)
    var number = 0
    var isForeign = false
    do throws(SystemError) {
      let tail = try file.readLines { text throws(SystemError) in
        number += 1
        if let line = ManifestLine(text) {
          onLine(line)
        } else {
          isForeign = !isComment(text)
        }
        return !isForeign
      }
      if !isForeign, !tail.isEmpty {
        number += 1
        isForeign = !ManifestLine.mayBegin(with: tail) && !isComment(tail)
      }
      if !isForeign { try file.cutTail() }
    } catch { throw .manifest(path, error) }
    guard !isForeign else { throw .foreign(path, line: number) }
    return file
  }

  /// `sha256sum -c` ignores these lines.
  private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
    text.first == UInt8(ascii: "#")
  }

  /// Ignores lines that are no facts: what they said is found out again.
  private static func openStamps(
    beside lines: borrowing LineFile, _ count: inout Int, _ onFact: (StampLine) -> Void
  ) throws(Stop) -> LineFile? {
    guard lines.isRegular else { return nil }
    let path = lines.path.adding(suffix: suffix)
    var file = try openFile(path)
    var isForeign = false
    do throws(SystemError) {
      let tail = try file.readLines { text throws(SystemError) in
        if count == 0 { isForeign = text != title.dropLast() }
        count += 1
        if let fact = StampLine(text) { onFact(fact) }
        return !isForeign
      }
      if count == 0 { isForeign = !title.starts(with: tail) }
      if !isForeign {
        try file.cutTail()
        if count == 0 { try file.append(title) }
      }
    } catch { throw .manifest(path, error) }
    guard !isForeign else { throw .foreign(path, line: 1) }
    return file
  }

  /// Where the manifest stands, without symbolic links.
  var path: BytePath { lines.path }

  private var stampsPath: BytePath { lines.path.adding(suffix: Self.suffix) }

  /// Whether this is one of the files themselves, whatever name it has.
  func owns(_ identity: Stamp.Identity) -> Bool {
    if identity == lines.identity { return true }
    return switch stamps {
    case .some(let stamps): identity == stamps.identity
    case .none: false
    }
  }

  /// The names of the files in a spool, if they stand in it: they must not describe themselves.
  func names(in spool: SpoolDirectory) -> Set<BytePath> {
    guard let root = try? spool.path.resolved() else { return [] }
    // The path of the root directory ends with its slash; no other path does.
    let top = root.bytes == Array("/".utf8) ? [] : root.bytes
    guard path.isBelow(BytePath(top)) else { return [] }
    let name = BytePath(path.bytes.dropFirst(top.count + 1))
    return [name, name.adding(suffix: Self.suffix), name.adding(suffix: "\(Self.suffix).new")]
  }

  // MARK: Adding

  /// Writes a line behind all others.
  ///
  /// - Throws: If the system does not take all of it; then nothing of it is there.
  mutating func append(_ line: ManifestLine) throws(Stop) {
    do throws(SystemError) { try lines.append(line.text) } catch { throw .manifest(path, error) }
  }

  /// Writes a fact behind all others.
  ///
  /// - Throws: If the system does not take all of it; then nothing of it is there.
  mutating func append(_ fact: StampLine) throws(Stop) {
    do throws(SystemError) {
      try stamps?.append(fact.text)
      stampCount += 1
    } catch { throw .manifest(stampsPath, error) }
  }

  // MARK: Replacing

  /// Throws if the manifest was removed, or if its path leads to another file.
  func requireInPlace() throws(Stop) {
    let stands: Bool
    do throws(SystemError) { stands = try lines.stands() } catch { throw .manifest(path, error) }
    guard stands else { throw .replaced(lines.given) }
  }

  /// Puts a new manifest in the place of the old one. Comments stay where they are.
  ///
  /// - Parameters:
  ///   - renewed: Returns the new line for a line; nil if the line is dropped.
  ///   - added: Returns the lines that follow those that stay.
  mutating func replaceLines(
    adding added: () -> [ManifestLine] = { [] }, _ renewed: (ManifestLine) -> ManifestLine?
  ) throws(Stop) {
    do throws(SystemError) {
      try lines.replace(through: temporary) { old, new throws(SystemError) in
        _ = try old.readLines { text throws(SystemError) in
          if let line = ManifestLine(text) {
            if let line = renewed(line) { try new.append(line.text) }
          } else {
            try new.append(Array(text) + "\n".utf8)
          }
          return true
        }
        for line in added() { try new.append(line.text) }
      }
    } catch { throw .manifest(path, error) }
  }

  /// Puts a new file of stamps in the place of the old one, with the facts that are still useful.
  mutating func replaceStamps(keeping isOfUse: (StampLine) -> Bool) throws(Stop) {
    var count = 1
    do throws(SystemError) {
      try stamps?.replace(through: temporary) { old, new throws(SystemError) in
        try new.append(Self.title)
        _ = try old.readLines { text throws(SystemError) in
          if let fact = StampLine(text), isOfUse(fact) {
            try new.append(fact.text)
            count += 1
          }
          return true
        }
      }
    } catch { throw .manifest(stampsPath, error) }
    stampCount = count
  }

  /// Returns when the manifest is on the disk, under its name.
  mutating func synchronize() throws(Stop) {
    do throws(SystemError) { try lines.synchronize() } catch { throw .manifest(path, error) }
  }
}
