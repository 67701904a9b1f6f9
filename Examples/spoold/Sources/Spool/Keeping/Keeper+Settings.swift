extension Keeper {
  /// How it goes about it. All of it can be changed while it runs.
  public struct Settings: Sendable, Hashable {
    /// How long a file must have been left alone before it is read.
    public var settle: Duration
    /// How long that may put off reading a file that is touched again and again.
    public var settleAtMost: Duration
    /// How often the manifest may be replaced by another, to take out lines that are not true.
    public var replaceEvery: Duration
    /// How often all of the spool is gone through without any notice. Nil for never, as long as every
    /// directory can be watched.
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

    /// A file whose writer seems to be through is read as soon as its stamp proves something.
    var patience: Pending.Patience {
      Pending.Patience(
        settle: settle, settleComplete: Settling().fine + .milliseconds(5), atMost: settleAtMost)
    }
  }

  /// How much is on the way at a time.
  public struct Limits: Sendable, Hashable {
    /// Files that are with the workers, or on their way there or back.
    public var files: Int
    /// Entries of directories that are looked at in one go.
    public var entries: Int
    /// Paths that wait until they have settled. If more change, all of the spool is gone through.
    public var pending: Int

    public init(files: Int = 64, entries: Int = 256, pending: Int = 65_536) {
      self.files = files
      self.entries = entries
      self.pending = pending
    }
  }

  /// What it has done since it began.
  public struct Counts: Sendable, Hashable {
    /// What was read.
    public var read = Amount()
    /// Files that a scan has found as they were known.
    public var unchanged = 0
    /// Files that have gone.
    public var gone = 0
    /// Notices of the kernel.
    public var events = 0
    /// How often notices were lost, or were more than are remembered.
    public var overflows = 0
    /// How often all of the spool was gone through.
    public var scans = 0
  }

  /// What a keeper has left undone at its end.
  public struct Remains: Sendable {
    /// Files that were to be looked at, some of them by name.
    public internal(set) var unread: (count: Int, some: [BytePath])
    /// Whether the spool was not gone through to its end.
    public internal(set) var isUnscanned: Bool
    /// How many files there are of which the manifest says nothing, or something that is not true.
    public internal(set) var unsaved = 0
    /// Why it could not go on.
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
