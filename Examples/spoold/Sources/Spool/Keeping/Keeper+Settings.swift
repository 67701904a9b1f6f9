extension Keeper {
  /// How a keeper works. All of it can be changed while the keeper runs.
  public struct Settings: Sendable, Hashable {
    /// How long a file must not have been touched before it is read.
    public var settle: Duration
    /// How long this may delay the reading of a file that is touched again and again.
    public var settleAtMost: Duration
    /// How often the manifest may be replaced by a new one, to remove lines that are not true.
    public var replaceEvery: Duration
    /// How often the keeper goes through all of the spool without a notice. Nil for never, as long as
    /// every directory can be watched.
    public var rescanEvery: Duration?
    public var limits: Limits

    public init(
      settle: Duration = .milliseconds(100), settleAtMost: Duration = .seconds(5),
      replaceEvery: Duration = .seconds(1), rescanEvery: Duration? = nil, limits: Limits = Limits()
    ) {
      self.settle = settle
      self.settleAtMost = settleAtMost
      self.replaceEvery = replaceEvery
      self.rescanEvery = rescanEvery
      self.limits = limits
    }

    /// A file whose writer seems to have finished is read as soon as its stamp proves something.
    var patience: Pending.Patience {
      Pending.Patience(
        settle: settle, settleComplete: Settling().fine + .milliseconds(5), atMost: settleAtMost)
    }
  }

  /// How much may be under way at a time.
  public struct Limits: Sendable, Hashable {
    /// Files that are with the workers, or on their way there or back.
    public var files: Int
    /// Entries of directories that are looked at in one step.
    public var entries: Int
    /// Paths that wait until they have settled. If more change, the keeper goes through all of the
    /// spool.
    public var pending: Int

    public init(files: Int = 64, entries: Int = 256, pending: Int = 65_536) {
      self.files = files
      self.entries = entries
      self.pending = pending
    }
  }

  /// What a keeper has done since it began.
  public struct Counts: Sendable, Hashable {
    /// The files that were read.
    public var read = Amount()
    /// Files that a scan has found unchanged.
    public var unchanged = 0
    /// Files that have gone.
    public var gone = 0
    /// Notices of the kernel.
    public var events = 0
    /// How often notices were lost, or were more than are remembered.
    public var overflows = 0
    /// How often the keeper has gone through all of the spool.
    public var scans = 0
  }

  /// What a keeper has left undone at its end.
  public struct Remains: Sendable {
    /// The number of files that were still to be looked at, and some of their names.
    public internal(set) var unread: (count: Int, some: [BytePath])
    /// Whether the last scan of the spool did not come to its end.
    public internal(set) var isUnscanned: Bool
    /// How many files have no line in the manifest, or one that is not true.
    public internal(set) var unsaved = 0
    /// Why the keeper could not go on.
    public internal(set) var stop: Stop?

    /// Whether nothing was left.
    public var isEmpty: Bool { unread.count == 0 && !isUnscanned && unsaved == 0 && stop == nil }
  }
}

extension Keeper.Remains {
  private static let most = 5

  init(_ state: KeeperState) {
    let paths = Set(state.reading.keys).union(state.pending.paths).union(state.found)
    unread = (
      paths.count,
      Array(
        paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.prefix(Self.most))
    )
    isUnscanned = !state.scan.isOver
    stop = state.stop
  }

  /// Lines for a person, without their ends. None if nothing was left.
  public var messages: [[UInt8]] {
    var messages: [[UInt8]] = []
    if let stop { messages.append(stop.message) }
    if unread.count > 0 {
      let names = Array(unread.some.map(\.shown).joined(separator: ", ".utf8))
      let more =
        unread.count > unread.some.count ? " and \(unread.count - unread.some.count) more" : ""
      messages.append("left behind: \(unread.count) files not read: ".utf8 + names + more.utf8)
    }
    if isUnscanned {
      messages.append(Array("left behind: not all of the spool was gone through".utf8))
    }
    if unsaved > 0 {
      messages.append(
        Array(
          "left behind: the manifest is not right about \(unsaved) files; the next start is".utf8))
    }
    return messages
  }
}
