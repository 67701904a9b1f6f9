/// Directories that are to be looked through, and how far that has come.
///
/// A directory is watched first and listed then, so that nothing falls between the two. Between
/// the two the foreground takes note of the watch: what its notices mean is known before the first.
struct Scan {
  /// The directory that is being listed.
  struct Listing {
    let directory: BytePath
    /// What is known to stand there, and has not been seen.
    var unseenFiles: Set<[UInt8]>
    var unseenDirectories: Set<[UInt8]>

    /// Sorted.
    func paths(of names: Set<[UInt8]>) -> [BytePath] {
      names.sorted { $0.lexicographicallyPrecedes($1) }.map(directory.appending)
    }
  }

  private var waiting = Line<BytePath>()
  private var queued: Set<BytePath> = []
  var listing: Listing?
  /// Whether a worker is at it.
  var isOut = false
  /// Whether all of the spool is being gone through.
  private(set) var isRescan = false
  private var rescansAgain = false

  /// How many directories wait.
  var count: Int { waiting.count }
  /// Whether nothing is left to look through.
  var isOver: Bool { count == 0 && listing == nil && !isOut }

  /// First come, first served: a directory stands before those below it, so that each is looked
  /// through once, however many of them have changed together.
  mutating func add(_ directory: BytePath) {
    guard queued.insert(directory).inserted else { return }
    waiting.append(directory)
  }

  /// Has everything looked through. Asked for while that is under way, it is done once more.
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

  /// Takes note that everything was looked through; begins again if that was asked for meanwhile.
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
