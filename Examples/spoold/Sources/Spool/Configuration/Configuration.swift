/// All settings of spoold: from the command line, from a file, or by default.
public struct Configuration: Sendable, Hashable {
  public var spool: BytePath
  public var manifest: BytePath
  /// The path of the status socket; nil for none.
  public var status: BytePath?
  /// The file that SIGUSR1 writes to; nil for standard error.
  public var dump: BytePath?
  /// How much time the first SIGTERM leaves for what was begun.
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

  /// The names of the settings that differ, of those that only a new start takes over.
  func fixedDifferences(from other: Configuration) -> [String] {
    var names: [String] = []
    if spool != other.spool { names.append("spool") }
    if manifest != other.manifest { names.append("manifest") }
    if status != other.status { names.append("status") }
    return names
  }
}
