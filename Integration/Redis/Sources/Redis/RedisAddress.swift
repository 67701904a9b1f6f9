/// Where a Redis server listens.
public enum RedisAddress: Sendable, Hashable {
  /// The path of a socket, of at most 107 bytes: the system has room for no more.
  case unix(path: String)
  /// A port of a host. A host name that is not a numeric address is looked up on the loop's thread,
  /// which the lookup blocks.
  case tcp(host: String, port: UInt16)
}

extension RedisAddress: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port): "\(host):\(port)"
    }
  }
}
