@testable import Spool

/// A daemon with a status socket, for those who call it.
struct Clients {
  let scratch = Scratch()
  let patrol: Patrol

  /// Lets three in at a time, and sends away who does nothing for 30 seconds.
  init() throws {
    let path = scratch["socket"]
    patrol = try Patrol(in: scratch) { configuration in
      configuration.status = path
      configuration.clients.clients = 3
      configuration.clients.idle = .seconds(30)
    }
  }

  func call() throws -> Caller { try Caller(scratch["socket"]) }
}
