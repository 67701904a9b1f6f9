/// Everything that spoold is told: by the command line, by a file, or by nobody.
public struct Configuration: Sendable, Hashable {
  public var spool: BytePath
  public var manifest: BytePath
  /// Where clients ask; nil for no status socket.
  public var status: BytePath?
  /// Where SIGUSR1 writes to; nil for standard error.
  public var dump: BytePath?
  /// How long the first SIGTERM gives what was begun.
  public var drain: Duration
  public var keeper: Keeper.Settings
  public var clients: StatusServer.Limits

  public init(
    spool: BytePath, manifest: BytePath, status: BytePath? = nil, dump: BytePath? = nil,
    drain: Duration = .seconds(10), keeper: Keeper.Settings = Keeper.Settings(),
    clients: StatusServer.Limits = StatusServer.Limits()
  ) {
    self.spool = spool
    self.manifest = manifest
    self.status = status
    self.dump = dump
    self.drain = drain
    self.keeper = keeper
    self.clients = clients
  }

  /// Which settings differ that only a new start takes over, by their names.
  func fixedDifferences(from other: Configuration) -> [String] {
    var names: [String] = []
    if spool != other.spool { names.append("spool") }
    if manifest != other.manifest { names.append("manifest") }
    if status != other.status { names.append("status") }
    return names
  }
}
