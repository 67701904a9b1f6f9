/// Where a Redis server listens.
public enum RedisAddress: Sendable, Hashable {
  /// The path of a socket: at most 107 bytes, which is what the system has room for.
  case unix(path: String)
  /// A port of a host. A name instead of a numeric address is looked up on the loop's thread, which
  /// stands still meanwhile.
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
