/// Directories that are to be looked through, and how far that has come.
///
/// A directory is watched first and listed then, so that no change falls between the two. Between the
/// two steps the foreground records the watch, so it knows what a notice means before the first one
/// arrives.
struct Scan {
  /// The directory that is being listed.
  struct Listing {
    let directory: BytePath
    /// Names that are known in the directory, and have not been seen.
    var unseenFiles: Set<[UInt8]>
    var unseenDirectories: Set<[UInt8]>

    /// The paths of these names, sorted.
    func paths(of names: Set<[UInt8]>) -> [BytePath] {
      names.sorted { $0.lexicographicallyPrecedes($1) }.map(directory.appending)
    }
  }

  private var waiting = Line<BytePath>()
  private var queued: Set<BytePath> = []
  var listing: Listing?
  /// Whether a worker is watching or listing a directory.
  var isOut = false
  /// Whether all of the spool is being gone through.
  private(set) var isRescan = false
  private var rescansAgain = false

  /// How many directories wait.
  var count: Int { waiting.count }
  /// Whether nothing is left to look through.
  var isOver: Bool { count == 0 && listing == nil && !isOut }

  /// First come, first served. A directory is added before those below it, so each is looked through
  /// once, however many of them have changed together.
  mutating func add(_ directory: BytePath) {
    guard queued.insert(directory).inserted else { return }
    waiting.append(directory)
  }

  /// Adds everything. If a scan of everything is under way, another one follows it.
  mutating func addAll() {
    guard !isRescan else {
      rescansAgain = true
      return
    }
    isRescan = true
    add(BytePath(""))
  }

  mutating func popNext() -> BytePath? {
    guard let next = waiting.popFirst() else { return nil }
    queued.remove(next)
    return next
  }

  /// Records that everything was looked through. Begins again if that was requested during the scan.
  ///
  /// - Returns: Whether that was all of the spool.
  mutating func finishRescan() -> Bool {
    guard isRescan, isOver else { return false }
    isRescan = false
    if rescansAgain {
      rescansAgain = false
      addAll()
    }
    return true
  }
}
