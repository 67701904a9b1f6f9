/// Why there is no answer to a command, or why a connection has ended.
public enum RedisError: Error, Sendable, Hashable {
  /// The connection had been closed or cut before. The command was not sent.
  case closed
  /// ``RedisConnection/cut()`` came before the answer. The server may have carried the command out.
  case cut
  /// The dispatcher was shut down first. The server may have carried out what had been sent.
  case shutDown
  /// The connection was lost or never made: what hiredis says about it. The server may have carried out
  /// what had been sent.
  case lost(RedisAddress, String)
}

extension RedisError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .closed: "the connection is closed; make another"
    case .cut: "the connection was cut before the server answered"
    case .shutDown:
      "the dispatcher was shut down before the server answered; close the connection first"
    case .lost(let address, let reason): "no connection to \(address): \(reason); make another"
    }
  }
}
