/// The manifest and, beside it, the stamps of the files that it names.
///
/// Three files: `FILE` is what `sha256sum -c` reads. `FILE.spoold` says which stamp a file had when
/// it had which digest, see ``StampLine``. `FILE.spoold.new` is there only while one of the two is
/// replaced.
///
/// **Whole at any moment.** A line of `FILE` is true when it is written, and is written at once.
/// Lines that are no longer true are taken out together, in ``commit(unread:)``, by putting a new
/// file in the place of the old one. Until then the new digest of a file that has changed is not in
/// `FILE`: it would stand beside the old one. It is in `FILE.spoold`, so a run that is killed has
/// not read it in vain.
///
/// **Continued.** What is known of a file counts only if `FILE` names it; so whoever removes a
/// line, or all of `FILE`, has the file read again.
struct Manifest: ~Copyable {
  private var lines: LineFile
  /// Nil if the manifest is no file on a disk: then there is nothing to continue.
  private var stamps: LineFile?
  private var known: KnownFiles
  private var lineCount: Int
  /// How many lines the file of stamps has, those that have been overtaken too.
  private var stampCount = 0
  private let temporary: BytePath

  private static let suffix = ".spoold"
  private static let title = Array("spoold 1: stamp and digest of files\n".utf8)

  /// Opens the manifest at `path`, takes in what it knows, and cuts off what a crash has left of a
  /// line. Makes it if it is not there.
  init(_ path: BytePath) throws(Stop) {
    var known = KnownFiles()
    var stampCount = 0
    let lines = try Self.openLines(path, &known)
    let stamps = try Self.openStamps(beside: lines, &known, &stampCount)
    temporary = lines.path.adding(suffix: "\(Self.suffix).new")
    lineCount = known.count
    self.stampCount = stampCount
    self.stamps = stamps
    self.lines = lines
    self.known = known
  }

  private static func openFile(_ path: BytePath) throws(Stop) -> LineFile {
    do throws(SystemError) {
      if let file = try LineFile.locked(path) { return file }
    } catch { throw error.isShortage ? .shortage(path, error) : .manifest(path, error) }
    throw .inUse(path)
  }

  /// Opens the manifest itself, and takes in its lines.
  private static func openLines(
    _ path: BytePath, _ known: inout KnownFiles
  ) throws(Stop) -> LineFile {
    var file = try openFile(path)
    var number = 0
    var isForeign = false
    do throws(SystemError) {
      let tail = try file.readLines { text throws(SystemError) in
        number += 1
        if let line = ManifestLine(text) {
          known.add(line)
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

  /// `sha256sum -c` passes over these.
  private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
    text.first == UInt8(ascii: "#")
  }

  /// Opens the file of stamps, and takes in its lines. Those that are none are passed over: what
  /// they said is found out again.
  ///
  /// - Parameter count: Becomes the number of lines.
  private static func openStamps(
    beside lines: borrowing LineFile, _ known: inout KnownFiles, _ count: inout Int
  ) throws(Stop) -> LineFile? {
    guard lines.isRegular else { return nil }
    let path = lines.path.adding(suffix: suffix)
    var file = try openFile(path)
    var isForeign = false
    do throws(SystemError) {
      let tail = try file.readLines { text throws(SystemError) in
        if count == 0 { isForeign = text != title.dropLast() }
        count += 1
        if let fact = StampLine(text) { known.add(fact) }
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

  /// Whether this is one of the manifest's own files.
  func owns(_ identity: Stamp.Identity) -> Bool {
    if identity == lines.identity { return true }
    return switch stamps {
    case .some(let stamps): identity == stamps.identity
    case .none: false
    }
  }

  // MARK: During the run

  /// Whether the digest of the file is known without reading it.
  mutating func recall(_ path: BytePath, _ stamp: Stamp) -> Bool { known.recall(path, stamp) }

  /// Takes in that a file with this stamp has this digest: writes its line, unless there is one.
  mutating func add(_ path: BytePath, _ digest: Digest, _ stamp: Stamp) throws(Stop) {
    let fact = StampLine(digest: digest, stamp: stamp, path: path)
    do throws(SystemError) {
      if !known.note(fact) {
        try lines.append(ManifestLine(digest: digest, path: path).text)
        lineCount += 1
      }
    } catch { throw .manifest(lines.path, error) }
    do throws(SystemError) {
      try stamps?.append(fact.text)
      stampCount += 1
    } catch { throw .manifest(lines.path.adding(suffix: Self.suffix), error) }
  }

  /// Takes in that a file is there and could not be read. It loses its line: nobody knows whether
  /// that is still true.
  mutating func addUnread(_ path: BytePath) { known.noteUnread(path) }

  // MARK: After the run

  /// Makes the manifest what it is to be after a run that came to every file: one true line for
  /// each; and sees it to the disk.
  ///
  /// - Parameter unread: Directories that could not be read. Lines of files below them stay.
  /// - Returns: How many files it no longer names because they are not there any more.
  mutating func commit(unread directories: [BytePath]) throws(Stop) -> Int {
    let gone = known.settleRest(unread: directories)
    let isStale = known.manifestIsStale
    let stands: Bool
    do throws(SystemError) {
      stands = try lines.stands()
      if stands {
        if isStale { try renewLines() }
        try lines.synchronize()
      }
    } catch { throw .manifest(lines.path, error) }
    guard stands else { throw .replaced(lines.path) }
    // As many as are of use, and as many again, may be there in vain.
    guard isStale || stampCount > 2 * lineCount + 1_000 else { return gone }
    do throws(SystemError) { try renewStamps() } catch {
      throw .manifest(lines.path.adding(suffix: Self.suffix), error)
    }
    return gone
  }

  private mutating func renewLines() throws(SystemError) {
    var known = KnownFiles()
    swap(&known, &self.known)
    defer { swap(&known, &self.known) }
    try lines.replace(through: temporary) { old, new throws(SystemError) in
      _ = try old.readLines { text throws(SystemError) in
        if let line = ManifestLine(text) {
          if let line = known.renewed(line) { try new.append(line.text) }
        } else {
          try new.append(Array(text) + "\n".utf8)
        }
        return true
      }
    }
  }

  private mutating func renewStamps() throws(SystemError) {
    var known = KnownFiles()
    swap(&known, &self.known)
    defer { swap(&known, &self.known) }
    var count = 0
    try stamps?.replace(through: temporary) { old, new throws(SystemError) in
      try new.append(Self.title)
      _ = try old.readLines { text throws(SystemError) in
        if let fact = StampLine(text), known.renews(fact) {
          try new.append(fact.text)
          count += 1
        }
        return true
      }
    }
    stampCount = count
  }
}
