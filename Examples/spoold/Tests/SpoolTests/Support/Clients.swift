@testable import Spool

/// A daemon with a status socket, for tests that connect to it.
struct Clients {
  let scratch = Scratch()
  let patrol: Patrol

  /// Accepts three clients at a time, and removes a client that is idle for 30 seconds.
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
